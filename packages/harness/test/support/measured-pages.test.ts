import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { BENCH_SCENARIOS } from '../../src/bench/scenarios.ts'
import { FAULT_SCENARIOS } from '../../src/fault/scenarios.ts'
import { FUZZ_SCENARIOS } from '../../src/fuzz/scenarios.ts'
import { marksIn } from '../../src/support/markdown-table.ts'
import { CHECKS, RUNS } from '../../src/support/outcome-tables.ts'
import { PLANTED } from '../../src/support/planted/run-plants.ts'

const DOCS = fileURLToPath(new URL('../../../../docs/', import.meta.url))
const PROGRAMS = { fault: FAULT_SCENARIOS, fuzz: FUZZ_SCENARIOS, bench: BENCH_SCENARIOS }
const WITH_PLANTS = ['fault', 'fuzz']

test('every table of every scenario has its one place in the pages, and every place its table', () => {
  const places = readdirSync(DOCS)
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) => marksIn(readFileSync(`${DOCS}${file}`, 'utf8')))
  const made = Object.entries(PROGRAMS).flatMap(([program, scenarios]) => [
    `${program} ${RUNS}`,
    ...(WITH_PLANTS.includes(program) ? [`${program} ${PLANTED}`] : []),
    ...scenarios.flatMap(({ name, tables = [] }) => [CHECKS, ...tables].map((table) => `${program} ${name} ${table}`)),
  ])
  expect(places.toSorted()).toEqual(made.toSorted())
})
