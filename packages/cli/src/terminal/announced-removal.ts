type Announcement = { readonly deprecatedSince: string | null; readonly removalNotBefore: string | null }

/** `since 1.2.0, not removed before 2027-01-01`, as far as it was announced. */
export function announcedRemoval({ deprecatedSince, removalNotBefore }: Announcement): string {
  const removal = removalNotBefore === null ? '' : `, not removed before ${removalNotBefore}`
  return `since ${deprecatedSince ?? 'now'}${removal}`
}
