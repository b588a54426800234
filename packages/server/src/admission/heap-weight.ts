/** A JSON value without its text: the object or list, its slot in another, and the copy made by validation. */
const BYTES_PER_VALUE = 56
/** The text, as strings and as the body that is sent on. */
const BYTES_PER_BYTE = 2

/** The heap in bytes of a parsed JSON text during an execution; measured in docs/internals/hostile-input.md. */
export function heapWeight({ bytes, values }: { bytes: number; values: number }): number {
  return bytes * BYTES_PER_BYTE + values * BYTES_PER_VALUE
}

/** The same for a text whose values are not counted. */
export function transcriptWeight(bytes: number): number {
  return bytes * 4
}
