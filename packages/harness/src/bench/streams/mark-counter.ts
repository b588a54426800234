/** Counts how often a text stands in what comes piece by piece, wherever the pieces are cut. */
export function createMarkCounter(mark: string): (piece: string) => number {
  let rest = ''
  return (piece) => {
    const text = rest + piece
    let found = 0
    let end = 0
    for (let at = text.indexOf(mark); at !== -1; at = text.indexOf(mark, end)) {
      found += 1
      end = at + mark.length
    }
    rest = text.slice(Math.max(end, text.length - mark.length + 1))
    return found
  }
}
