export const REGION = {
  type: 'object',
  properties: { region: { type: 'string', enum: ['coast', 'hills', 'valley'] } },
  additionalProperties: false,
}

export const STATION_ID = {
  type: 'object',
  properties: { stationId: { type: 'string', maxLength: 40, description: 'Such as “lighthouse”, from the list.' } },
  required: ['stationId'],
}

export const DAY = {
  type: 'object',
  properties: { day: { type: 'string', format: 'date', description: 'In UTC, such as 2026-11-02.' } },
  required: ['day'],
  additionalProperties: false,
}

export const FAULT = {
  type: 'object',
  properties: {
    part: { type: 'string', enum: ['thermometer', 'anemometer', 'mast', 'other'] },
    note: { type: 'string', minLength: 1, maxLength: 500, description: 'What is to be seen.' },
  },
  required: ['part', 'note'],
  additionalProperties: false,
}

export const STATION = answer({
  stationId: { type: 'string' },
  name: { type: 'string' },
  region: { type: 'string' },
  heightMetres: { type: 'number' },
})

export const READING = answer({
  at: { type: 'string', format: 'date-time' },
  celsius: { type: 'number' },
  windKmh: { type: 'number' },
})

/** An object with all of these fields and no others. */
export function answer(properties: Record<string, object>) {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

export function listOf(items: object) {
  return { type: 'array', items }
}
