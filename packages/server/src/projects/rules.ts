/** How many projects an account may make beside its default one. Grouping needs few; a listing shows them all in a page. */
export const MAX_PROJECTS = 100

/** Why one more project is too many, or null when it is not. `projectCount` leaves the default one out. */
export function projectCeilingProblem(projectCount: number): string | null {
  if (projectCount < MAX_PROJECTS) return null
  return `An account can have ${MAX_PROJECTS} projects beside its default one. Rename one that is no longer needed.`
}
