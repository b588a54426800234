export interface Station {
  stationId: string
  name: string
  region: 'coast' | 'hills' | 'valley'
  heightMetres: number
}

export interface Reading {
  /** ISO 8601, the full hour. */
  at: string
  celsius: number
  windKmh: number
}

export interface Fault {
  faultId: string
  stationId: string
  part: string
  note: string
}

export interface Stations {
  list(region?: string): Station[]
  /** Throws what Fastify answers with 404 where there is no such station. */
  find(stationId: string): Station
  /** Hour by hour, of a day that has begun; none of later ones. */
  readings(station: Station, day: string): Reading[]
  latest(station: Station): Reading
  /** Under the same key, the first report alone. */
  report(fault: Omit<Fault, 'faultId'>, key: string): Fault
}

const STATIONS: readonly Station[] = [
  { stationId: 'lighthouse', name: 'Old Lighthouse', region: 'coast', heightMetres: 21 },
  { stationId: 'breakwater', name: 'East Breakwater', region: 'coast', heightMetres: 4 },
  { stationId: 'ridge', name: 'Bare Ridge', region: 'hills', heightMetres: 812 },
  { stationId: 'mill', name: 'Upper Mill', region: 'valley', heightMetres: 240 },
]

const HOUR_MS = 60 * 60_000

/** Stands for the store that a real service has. Readings follow from station and hour: the same ones each time. */
export function createStations(now: () => number = Date.now): Stations {
  const faults = new Map<string, Fault>()
  return {
    list: (region) => STATIONS.filter((station) => region === undefined || station.region === region),
    find(stationId) {
      const station = STATIONS.find((known) => known.stationId === stationId)
      if (station) return station
      throw Object.assign(new Error(`There is no station “${stationId}”.`), { statusCode: 404 })
    },
    readings(station, day) {
      const hours = Array.from({ length: 24 }, (_, hour) => Date.parse(day) + hour * HOUR_MS)
      return hours.filter((at) => at <= now()).map((at) => readingAt(station, at))
    },
    latest: (station) => readingAt(station, Math.floor(now() / HOUR_MS) * HOUR_MS),
    report(fault, key) {
      const reported = faults.get(key) ?? { faultId: `F-${faults.size + 1}`, ...fault }
      faults.set(key, reported)
      return reported
    },
  }
}

function readingAt({ heightMetres, stationId }: Station, at: number): Reading {
  const hour = new Date(at).getUTCHours()
  const wave = Math.sin(((hour - 9) / 24) * 2 * Math.PI)
  return {
    at: new Date(at).toISOString(),
    celsius: round(14 + 6 * wave - heightMetres * 0.0065),
    windKmh: round(12 + heightMetres / 40 + ((at / HOUR_MS + stationId.length) % 7)),
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
