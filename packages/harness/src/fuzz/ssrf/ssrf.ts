import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram } from '@svc/testkit'
import type { Check, Scenario, ScenarioContext } from '../../support/scenario.ts'
import { createCertificate, createNetwork } from './network.ts'
import { judgeSsrf, SsrfReport } from './report.ts'

const PROGRAM = fileURLToPath(new URL('./inside/main.js', import.meta.url))

/** Addresses that lead inside, spelled, resolved and redirected in every way, against a service in a network of its own. */
export const ssrf: Scenario = {
  name: 'ssrf',
  title: 'no endpoint leads to an address that is not public',
  engines: [],
  async run(context: ScenarioContext): Promise<readonly Check[]> {
    const { seed, serverFolder, env, count, onEnd } = context
    const wanted = { spellings: count(500, 20), rebindings: count(10_000, 40) }
    const folder = mkdtempSync(join(tmpdir(), 'svc-ssrf-'))
    onEnd(() => rmSync(folder, { recursive: true, force: true }))
    const certificate = createCertificate(folder, env)
    const network = createNetwork(`svc-${randomBytes(4).toString('hex')}`, env, userInfo().uid)
    onEnd(() => network.remove())
    const [program, ...wrapper] = network.wrapper
    const task = JSON.stringify({ seed, serverFolder, ...wanted, ...certificate })
    const started = startProgram(program, [...wrapper, process.execPath, PROGRAM, task], { env: { PATH: env['PATH'] } })
    onEnd(() => started.child.kill('SIGKILL'))
    started.child.stderr?.on('data', (text: Buffer) => context.say(text.toString().trimEnd()))
    const end = await started.ended
    if (end.code !== 0) throw new Error(`the attack ended with ${end.code ?? end.signal}: ${end.stderr.slice(-2_000)}`)
    return judgeSsrf(SsrfReport.parse(JSON.parse(end.stdout)), wanted)
  },
}
