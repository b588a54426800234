import { describe, expect, test } from 'vitest'
import { deployReply, startControlPlane, statusReply } from './support/fake-control-plane.ts'
import { generatedFiles } from './support/generated.ts'
import { DEPLOY_KEY } from './support/keys.ts'
import { CONFIG, createProject, runtimeModule } from './support/project.ts'
import { runSvc } from './support/run-svc.ts'

const COMMANDS = ['dev --check', 'generate', 'deploy --dry-run', 'deploy']

/** A runtime module in which the one capability “delays” has this input, in source. */
function runtimeWith(input: string): string {
  return `
import { defineCapability, defineRuntime } from '@svc/sdk'
import { z } from 'zod'

const delays = defineCapability({ name: 'delays', version: '1.0.0', input: ${input}, handler: () => ({}) })
export default defineRuntime({ capabilities: [delays] })
`
}

async function refusal(runtime: string, args: readonly string[], env: Record<string, string> = {}) {
  const controlPlane = await startControlPlane({
    'GET /v1/runtime/status': statusReply([]),
    'POST /v1/deployments': deployReply([]),
  })
  const folder = createProject({ 'svc.config.ts': CONFIG, '.svc/runtime.ts': runtime })
  const outcome = await runSvc(folder, args, { env: { ...controlPlane.env(DEPLOY_KEY), ...env } })
  return { ...outcome, written: generatedFiles(folder), requests: controlPlane.requests }
}

describe('what the control plane would refuse is refused here, before a file is written and a request is sent', () => {
  // holds CLI-02
  test.each(COMMANDS)('by svc %s', async (command) => {
    const input = 'z.object({ delay: z.iso.duration(), codes: z.array(z.string().regex(/(?<!x)a/)) })'
    const { exitCode, stderr, written, requests } = await refusal(runtimeWith(input), command.split(' '))
    expect(exitCode).toBe(3)
    expect(stderr).toContain('✖ The project’s capabilities cannot be published as they are.')
    expect(stderr).toMatch(/^ {2}“delays” input\.properties\.delay +has the pattern “.+write z\.string\(\)\.meta\(/m)
    expect(stderr).toMatch(
      /^ {2}“delays” input\.properties\.codes\.items +has the pattern “\(\?<!x\)a”, .+linear time/m,
    )
    expect(written).toEqual({})
    expect(requests).toEqual([])
  })

  test('with every fault in fieldErrors for scripts', async () => {
    const input = 'z.object({ delay: z.iso.duration() })'
    const { stdout } = await refusal(runtimeWith(input), ['deploy', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      error: {
        kind: 'project',
        fieldErrors: { '“delays” input.properties.delay': [expect.stringContaining('linear')] },
      },
    })
  })
})

describe('limits', () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `c-${index}`)

  test.each([
    ['129 capabilities', runtimeModule(names(129)), 'capabilities  are 129, at most 128 are accepted'],
    [
      'a schema over 64 KiB',
      runtimeWith("z.object({ a: z.string().describe('a'.repeat(65_536)) })"),
      '“delays” input  has 65681 bytes as JSON Schema, at most 65536 are accepted',
    ],
    [
      'a schema that is nested too deeply',
      runtimeWith('Array.from({ length: 14 }).reduce((inner) => z.object({ a: inner }), z.string())'),
      '“delays” input  is nested 29 levels deep, at most 26 are accepted',
    ],
    [
      'a manifest over 1 MiB',
      runtimeModule(names(128)).replaceAll(/'About [^']+'/g, "'é'.repeat(8_192)"),
      'manifest  has ',
    ],
    [
      'too many values',
      runtimeModule(names(50)).replaceAll(
        'id: z.string()',
        'id: z.enum(Array.from({ length: 1_200 }, (_, n) => String(n)))',
      ),
      'manifest  holds ',
    ],
  ])('%s', async (_what, runtime, sentence) => {
    const { exitCode, stderr, written } = await refusal(runtime, ['deploy', '--dry-run'])
    expect(stderr).toContain(`  ${sentence}`)
    expect(exitCode).toBe(3)
    expect(written).toEqual({})
  })

  test('are the control plane’s own where its operator set others', async () => {
    const more = await refusal(runtimeModule(names(129)), ['deploy', '--dry-run'], { SVC_LIMIT_CAPABILITIES: '200' })
    expect([more.exitCode, more.stderr]).toEqual([0, ''])
    const fewer = await refusal(runtimeModule(names(2)), ['deploy', '--dry-run'], { SVC_LIMIT_CAPABILITIES: '1' })
    expect(fewer.stderr).toContain('are 2, at most 1 are accepted')
    const wrong = await refusal(runtimeModule(names(2)), ['deploy', '--dry-run'], { SVC_LIMIT_CAPABILITIES: 'many' })
    expect([wrong.exitCode, wrong.written]).toEqual([3, {}])
    expect(wrong.stderr).toContain('✖ SVC_LIMIT_CAPABILITIES must be a whole number above 0.')
  })
})
