/** Projects of an account, its default one left out. A page of the listing shows them all. */
export const MAX_PROJECTS = 100

export const TOO_MANY_PROJECTS = `An account can have ${MAX_PROJECTS} projects beside its default one. Rename one that is no longer needed.`
