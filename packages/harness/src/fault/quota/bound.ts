/** A bucket that stood full, and for how long calls were made on it, milliseconds. */
export interface Bound {
  burst: number
  /** In which it gains one unit. */
  unitMs: number
  tookMs: number
}

/** Whether so many calls are what the bucket held: its burst, and beyond that no more than came in meanwhile. */
export function isWithin(letIn: number, { burst, unitMs, tookMs }: Bound): boolean {
  return letIn >= burst && letIn <= burst + Math.floor(tookMs / unitMs)
}
