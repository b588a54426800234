import { runPlants } from '../support/planted/run-plants.ts'
import { runProgram } from '../support/program.ts'
import { PLANTS } from './plants.ts'
import { FUZZ_SCENARIOS } from './scenarios.ts'

process.exitCode = await runProgram('fuzz', FUZZ_SCENARIOS, process, {
  names: PLANTS.map(({ name }) => name),
  run: (given, around, record) =>
    runPlants({ program: 'fuzz', plants: PLANTS, scenarios: FUZZ_SCENARIOS }, given, around, record),
})
