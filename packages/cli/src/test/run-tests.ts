import { resolve } from 'node:path'
import type { CliDeps } from '../deps.ts'
import { CommandFailure, commandFailure } from '../failures.ts'
import { type CompiledProject, compileProject } from '../project/compile-project.ts'
import { endUserTokenOf } from '../project/end-user-token.ts'
import { loadProject, type Project } from '../project/load-project.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { withoutToken, withoutTokenIn } from '../terminal/without-token.ts'
import { reasonOf, stackOf } from '../thrown.ts'
import { writeAtomically } from '../write-atomically.ts'
import { unknownCapabilities } from './check-capabilities.ts'
import { findTestFiles } from './find-test-files.ts'
import { judgeTurn, type Unmet } from './judge-turn.ts'
import { junitXml } from './junit-xml.ts'
import { playHere } from './play/play-here.ts'
import { playOnService } from './play/play-on-service.ts'
import type { PlayedTurn } from './play/played.ts'
import { type ConversationFile, type FileFault, readTestFile } from './read-test-file.ts'
import { printResult, resultDocument } from './report-tests.ts'

/** How a test went, without the end user’s token. The turns end with the first one that is not as it should be. */
export type TestResult = {
  readonly test: ConversationFile
  readonly turns: readonly PlayedTurn[]
  /** Expectations that the last turn did not meet, or the whole test where its fields say so. */
  readonly unmet: readonly Unmet[]
  readonly durationMs: number
}

type Input = { readonly files: readonly string[]; readonly junit: string | null }

/** `svc test`: reads every file before anything is played, then plays one test after the other. */
export async function runTests(deps: CliDeps, terminal: Terminal, { files, junit }: Input): Promise<void> {
  const project = await loadProject(deps, terminal)
  const paths = findTestFiles(files, { cwd: deps.cwd, folder: project.folder })
  const compiled = await compileProject(deps, project)
  const tests = await readAll(deps, { paths, project, compiled })
  const results: TestResult[] = []
  for (const test of tests) {
    const done = terminal.progress(`Playing ${test.name}`)
    const result = await playTest(deps, terminal, { test, project, compiled }).finally(done)
    results.push(result)
    printResult(terminal, result)
  }
  if (junit !== null) writeReport(resolve(deps.cwd, junit), junitXml(results))
  report(terminal, results)
}

type Reading = { readonly paths: readonly string[]; readonly project: Project; readonly compiled: CompiledProject }

async function readAll(deps: CliDeps, { paths, project, compiled }: Reading): Promise<ConversationFile[]> {
  const tests: ConversationFile[] = []
  const faults: FileFault[] = []
  for (const path of paths) {
    const read = await readTestFile({ path, project, cwd: deps.cwd })
    tests.push(...read.tests)
    faults.push(...read.faults)
    faults.push(...read.tests.flatMap((test) => unknownCapabilities(test, compiled.manifest.capabilities)))
  }
  if (faults.length === 0) return tests
  const lines = faults.map(
    ({ file, line, field, message }) => `${file}${line === null ? '' : `:${line}`}  ${field} ${message}`,
  )
  throw new CommandFailure('project', 'Nothing was played: the tests have faults.', lines, { found: { faults } })
}

type Playing = { readonly test: ConversationFile; readonly project: Project; readonly compiled: CompiledProject }

async function playTest(deps: CliDeps, terminal: Terminal, { test, project, compiled }: Playing): Promise<TestResult> {
  const startedAt = deps.timers.now()
  const token = endUserTokenOf(deps)
  const onError = (error: unknown) => terminal.writeErr(`${withoutToken(stackOf(error), token)}\n`)
  const here = test.model === 'service' ? null : playHere({ ...deps, onError }, { test, project: compiled })
  const conversation = here?.conversation ?? playOnService(deps, { test, project })
  const turns: PlayedTurn[] = []
  let unmet: Unmet[] = []
  for (const [at, { expect }] of test.turns.entries()) {
    const played = await conversation.play(at)
    turns.push(withoutTokenIn(played, token))
    unmet = judgeTurn(expect, played, token)
    if (unmet.length > 0) break
  }
  if (unmet.length === 0) unmet = (here?.mocks.unused() ?? []).map(neverUsed)
  return { test, turns, unmet, durationMs: Math.round(deps.timers.now() - startedAt) }
}

function neverUsed(field: string): Unmet {
  return {
    field,
    expected: 'a call that this mock answers',
    was: 'no such call: remove the mock, or mend its input',
    differences: [],
  }
}

function report(terminal: Terminal, results: readonly TestResult[]): void {
  const failed = results.filter(({ unmet }) => unmet.length > 0).length
  const found = {
    tests: results.map((result) => resultDocument(result)),
    passed: results.length - failed,
    failed,
  }
  const all = `${results.length} ${results.length === 1 ? 'test' : 'tests'}`
  if (failed > 0) throw new CommandFailure('failure', `${failed} of ${all} failed.`, [], { found })
  terminal.success(`${all} passed.`)
  terminal.result(found)
}

function writeReport(file: string, contents: string): void {
  try {
    writeAtomically(file, contents)
  } catch (error) {
    throw commandFailure(`${file} cannot be written (${reasonOf(error)}).`, [], error)
  }
}
