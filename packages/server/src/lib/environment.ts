/** `process.env`, passed in by the entry points. */
export type Environment = Readonly<Record<string, string | undefined>>
