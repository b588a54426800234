import { runProgram } from '../support/program.ts'
import { BENCH_SCENARIOS } from './scenarios.ts'

process.exitCode = await runProgram('bench', BENCH_SCENARIOS, process)
