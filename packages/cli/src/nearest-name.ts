/** The name that is closest to what was typed, or null where none is close. */
export function nearestName(typed: string, names: readonly string[]): string | null {
  const limit = Math.max(2, Math.floor(typed.length / 3))
  const ranked = names
    .map((name) => ({ name, distance: distanceBetween(typed.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const [best] = ranked
  return best && best.distance <= limit ? best.name : null
}

// Levenshtein’s: how many letters have to be put in, taken out or changed.
function distanceBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of Array.from(one).entries()) {
    const next = [index + 1]
    for (let column = 1; column <= other.length; column += 1) {
      const [left = 0, above = 0, diagonal = 0] = [next[column - 1], row[column], row[column - 1]]
      next.push(Math.min(left + 1, above + 1, diagonal + (other[column - 1] === letter ? 0 : 1)))
    }
    row = next
  }
  return row[other.length] ?? 0
}
