import type { Logger } from 'pino'

/** Where a fault of the database was met, as the log counts them. */
type OutagePlace = 'requests' | 'connections' | 'renewals' | 'sweeps' | 'usage' | 'retention'

/** Tells that the database is busy or away: the first fault at once, from then on one line a second with all that came. */
export interface OutageLog {
  note(place: OutagePlace, error: unknown): void
}

const INTERVAL_MS = 1_000

export function createOutageLog({
  logger,
  pause,
}: {
  logger: Pick<Logger, 'error'>
  pause: (ms: number) => Promise<unknown>
}): OutageLog {
  let places: Partial<Record<OutagePlace, number>> = {}
  let latest: unknown
  let isTelling = false
  const tell = async () => {
    isTelling = true
    while (Object.keys(places).length > 0) {
      logger.error({ err: latest, ...places }, 'the database was busy or away')
      places = {}
      await pause(INTERVAL_MS)
    }
    isTelling = false
  }
  return {
    note(place, error) {
      places[place] = (places[place] ?? 0) + 1
      latest = error
      if (!isTelling) void tell()
    },
  }
}
