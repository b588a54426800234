import { runProgram } from '../support/program.ts'
import { FUZZ_SCENARIOS } from './scenarios.ts'

process.exitCode = await runProgram('fuzz', FUZZ_SCENARIOS, process)
