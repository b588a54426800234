export type NameDifference = { added: string[]; removed: string[]; unchanged: string[] }

/** What publishing the local names would change about the live ones. */
export function compareNames(local: readonly string[], live: readonly string[]): NameDifference {
  const localNames = new Set(local)
  const liveNames = new Set(live)
  return {
    added: local.filter((name) => !liveNames.has(name)),
    removed: live.filter((name) => !localNames.has(name)),
    unchanged: local.filter((name) => liveNames.has(name)),
  }
}

export function isInSync(difference: NameDifference): boolean {
  return difference.added.length === 0 && difference.removed.length === 0
}
