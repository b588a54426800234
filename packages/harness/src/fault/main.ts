import { runPlants } from '../support/planted/run-plants.ts'
import { runProgram } from '../support/program.ts'
import { PLANTS } from './plants.ts'
import { FAULT_SCENARIOS } from './scenarios.ts'

process.exitCode = await runProgram('fault', FAULT_SCENARIOS, process, {
  names: PLANTS.map(({ name }) => name),
  run: (given, around, record) =>
    runPlants({ program: 'fault', plants: PLANTS, scenarios: FAULT_SCENARIOS }, given, around, record),
})
