import type { Logger } from 'pino'

/** A part of what runs, and how it ends. */
export interface Ending {
  /** Its name, for the log. */
  part: string
  end(): unknown
}

/** Ends one part after another. One that fails is told in the log, and keeps none of the others from its end. */
export async function endInOrder(endings: readonly Ending[], logger: Pick<Logger, 'warn'>): Promise<void> {
  for (const { part, end } of endings) {
    try {
      await end()
    } catch (error) {
      logger.warn({ err: error, part }, 'a part of the service could not be ended')
    }
  }
}
