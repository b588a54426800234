/** The process’s environment, handed in by the entry points. */
export type Environment = Readonly<Record<string, string | undefined>>
