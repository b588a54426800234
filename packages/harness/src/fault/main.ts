import { runProgram } from '../support/program.ts'
import { FAULT_SCENARIOS } from './scenarios.ts'

process.exitCode = await runProgram('fault', FAULT_SCENARIOS, process)
