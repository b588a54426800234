import { runProgram } from '../support/program.ts'
import { PLANTS } from './planted/plants.ts'
import { runPlants } from './planted/run-plants.ts'
import { FAULT_SCENARIOS } from './scenarios.ts'

process.exitCode = await runProgram('fault', FAULT_SCENARIOS, process, (given, around) =>
  runPlants(PLANTS, FAULT_SCENARIOS, given, around),
)
