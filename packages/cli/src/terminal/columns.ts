/** Rows of two columns, the first one padded to its widest cell. */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `${left.padEnd(width)}  ${right}`)
}
