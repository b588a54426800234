import { counted, type Scenario, type ScenarioContext } from '../../support/scenario.ts'
import type { ReplicaRuns } from '../replicas/replica-runs.ts'
import { fitCosts } from './fit.ts'
import { project } from './projection.ts'
import { checkSimulation, replay } from './replay.ts'
import { costsTable, monthTable, projectionTable, replayedTable, TABLES } from './tables.ts'

/** Admission and settlement at a thousand times the load, by a simulation that is held against what was measured. */
export function scaleSimulation(measured: (context: ScenarioContext) => Promise<ReplicaRuns>): Scenario {
  return {
    name: 'scale-simulation',
    title: 'admission at 1 to 1,000 times the load, simulated with measured costs',
    engines: ['postgres'],
    tables: TABLES,
    async run(context) {
      const found = await measured(context)
      const costs = fitCosts(found)
      const pairs = found.runs.map((run) => replay(context.random.fork(), costs, run))
      const projections = project(context, costs)
      context.table(costsTable(costs))
      context.table(replayedTable(pairs))
      context.table(projectionTable(projections))
      context.table(monthTable(projections, found.bytesPerExecution))
      const bytes = Math.round(found.bytesPerExecution)
      return [...checkSimulation(pairs), counted('bytes that an execution and its call take, indexes included', bytes)]
    },
  }
}
