/** Of a JSON value beside its text: the object or list, its slot in another, and the copy made by validation. */
const BYTES_PER_VALUE = 56
/** Of the text itself, as strings and as what is sent on. */
const BYTES_PER_BYTE = 2

/** Heap of a parsed JSON text while an execution works on it, in bytes; measured in docs/hostile-input.md. */
export function heapWeight({ bytes, values }: { bytes: number; values: number }): number {
  return bytes * BYTES_PER_BYTE + values * BYTES_PER_VALUE
}

/** The same for a text whose values are not counted. */
export function transcriptWeight(bytes: number): number {
  return bytes * 4
}
