/** What one JSON value takes beside its text: the object or list, its slot in another, and the copy that validation makes. */
const BYTES_PER_VALUE = 56
/** The text itself, once as strings and once as what is sent on. */
const BYTES_PER_BYTE = 2

/** Heap that a parsed JSON text takes while an execution works on it, in bytes; measured in docs/hostile-input.md. */
export function heapWeight({ bytes, values }: { bytes: number; values: number }): number {
  return bytes * BYTES_PER_BYTE + values * BYTES_PER_VALUE
}

/** The same of what an execution's transcript grows by, whose values are not counted. */
export function transcriptWeight(bytes: number): number {
  return bytes * 4
}
