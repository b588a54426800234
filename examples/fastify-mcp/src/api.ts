import type { FastifyInstance } from 'fastify'
import { answer, DAY, FAULT, listOf, READING, REGION, STATION, STATION_ID } from './schemas.ts'
import type { Stations } from './stations.ts'

interface Named {
  Params: { stationId: string }
}

/** The service’s own routes. What has `config.capability` is for assistants, too; nothing else of a route changes for that. */
export function addRoutes(app: FastifyInstance, stations: Stations): void {
  app.get<{ Querystring: { region?: string } }>('/stations', {
    config: { capability: { name: 'list-stations', description: 'List the weather stations, all or of one region.' } },
    schema: { querystring: REGION, response: { 200: answer({ stations: listOf(STATION) }) } },
    handler: async ({ query }) => ({ stations: stations.list(query.region) }),
  })

  app.get<Named>('/stations/:stationId/latest', {
    config: {
      capability: { name: 'latest-reading', description: 'Get the newest temperature and wind of a station.' },
    },
    schema: { params: STATION_ID, response: { 200: answer({ station: STATION, reading: READING }) } },
    async handler({ params }) {
      const station = stations.find(params.stationId)
      return { station, reading: stations.latest(station) }
    },
  })

  app.get<Named & { Querystring: { day: string } }>('/stations/:stationId/readings', {
    config: {
      capability: { name: 'day-readings', description: 'Get the temperature and wind of one day by the hour.' },
    },
    schema: { params: STATION_ID, querystring: DAY, response: { 200: answer({ readings: listOf(READING) }) } },
    handler: async ({ params, query }) => ({ readings: stations.readings(stations.find(params.stationId), query.day) }),
  })

  app.post<Named & { Body: { part: string; note: string } }>('/stations/:stationId/faults', {
    config: { capability: { name: 'report-fault', description: 'Report that a part of a weather station is broken.' } },
    schema: { params: STATION_ID, body: FAULT, response: { 200: answer({ faultId: { type: 'string' } }) } },
    async handler({ id, headers, params, body }) {
      const { stationId } = stations.find(params.stationId)
      return stations.report({ stationId, ...body }, String(headers['idempotency-key'] ?? id))
    },
  })

  // Without `capability` a route is for the service’s own clients alone: here, the stations themselves.
  app.get('/firmware', async () => ({ version: '4.2.1' }))
}
