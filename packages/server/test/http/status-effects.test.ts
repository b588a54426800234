import { RuntimeStatus } from '@svc/contract'
import { expect, test } from 'vitest'
import { APPROVING, askToPay, decide } from '../support/approvals.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { type Scene, setScene } from '../support/scene.ts'
import { capability } from '../support/service.ts'

async function statusOf({ service, runtime }: Scene): Promise<RuntimeStatus> {
  return RuntimeStatus.parse((await service.send('GET', '/v1/runtime/status', { key: runtime.deployKey })).json())
}

describeEngines('the status of a runtime', (engine) => {
  const database = useDatabase(engine)

  test('names effects that are not the default, and counts the calls that wait and those that are unknown', async () => {
    const capabilities = [...(APPROVING.manifest?.capabilities ?? []), capability('look', { effect: 'read' })]
    const scene = await setScene(database(), { ...APPROVING, manifest: { capabilities } })
    expect(await statusOf(scene)).toMatchObject({
      effects: [
        { name: 'pay', effect: 'destructive', confirm: true },
        { name: 'send', effect: 'write', confirm: true },
        { name: 'look', effect: 'read', confirm: false },
      ],
      unknownCalls: 0,
      waitingApprovals: 0,
    })
    const [first] = [await askToPay(scene), await askToPay(scene)]
    scene.endpoint.script('echo', () => ({ fault: 'cut', at: 'before-head', how: 'reset' }))
    await scene.broker('echo')
    expect(await statusOf(scene)).toMatchObject({ unknownCalls: 1, waitingApprovals: 2 })
    await decide(scene, first)
    expect(await statusOf(scene)).toMatchObject({ waitingApprovals: 1 })
    scene.service.clock.advance(86_400_001)
    expect(await statusOf(scene)).toMatchObject({ unknownCalls: 0, waitingApprovals: 0 })
  })
})
