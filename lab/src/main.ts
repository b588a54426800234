import { BENCH_SCENARIOS } from './bench/scenarios.ts'
import { FAULT_SCENARIOS } from './fault/scenarios.ts'
import { FUZZ_SCENARIOS } from './fuzz/scenarios.ts'
import { runProgram } from './support/program.ts'

const PROGRAMS = { fault: FAULT_SCENARIOS, fuzz: FUZZ_SCENARIOS, bench: BENCH_SCENARIOS }
process.exitCode = await runProgram(PROGRAMS, process.argv.slice(2), process)
