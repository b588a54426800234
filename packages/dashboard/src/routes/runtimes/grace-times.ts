/** What can be replaced and works on for a while. */
export type Replaceable = 'deploy' | 'public' | 'secret'

// Times alone: no key and no secret is ever kept here.
const keyOf = (runtimeId: string, what: Replaceable) => `svc-grace:${runtimeId}:${what}`

/** Until when the previous one works, as this browser was told at its rotation; null where it knows of none. */
export function readGrace(runtimeId: string, what: Replaceable): string | null {
  return localStorage.getItem(keyOf(runtimeId, what))
}

export function keepGrace(runtimeId: string, what: Replaceable, until: string | null): void {
  if (until === null) localStorage.removeItem(keyOf(runtimeId, what))
  else localStorage.setItem(keyOf(runtimeId, what), until)
}
