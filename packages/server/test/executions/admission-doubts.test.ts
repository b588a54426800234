import { expect, test } from 'vitest'
import { createAdmissionDoubts } from '../../src/executions/admission-doubts.ts'
import type { AdmissionRequest } from '../../src/executions/admission-store.ts'
import { createGate } from '../support/deferred.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { setScene } from '../support/scene.ts'

describeEngines('admissions in doubt', (engine) => {
  const database = useDatabase(engine)

  /** An execution that was let in and still runs, and its request. */
  async function setRunningScene() {
    const gate = createGate()
    const nodeId = 'the node of this test'
    const wait = async () => {
      await gate.enter()
      return { output: {} }
    }
    const scene = await setScene(database(), { nodeId, handle: { echo: wait } })
    const answer = scene.broker('echo')
    await gate.arrived(1)
    const row = await database()
      .db.selectFrom('executions')
      .selectAll()
      .where('owner_id', '=', scene.owner.ownerId)
      .executeTakeFirstOrThrow()
    const request: AdmissionRequest = {
      door: 'broker',
      ownerId: row.owner_id,
      runtimeId: row.runtime_id,
      revision: 1,
      execution: {
        executionId: row.execution_id,
        projectId: row.project_id,
        deploymentVersion: row.deployment_version,
        kind: 'broker',
        messageShape: row.message_shape,
        metadata: row.metadata,
        startedAt: row.started_at,
      },
      call: null,
    }
    const finish = async () => {
      gate.open()
      await answer
    }
    const doubts = createAdmissionDoubts({ ...scene.service.deps, db: database().db, nodeId })
    return { ...scene, doubts, request, finish }
  }

  test('that the database refuses to look up are given up, and the others are failed', async () => {
    const { doubts, request, trace, finish } = await setRunningScene()
    const { executionId } = request.execution
    // The name is another owner's: such a row can never be written.
    doubts.keep([{ ...request, ownerId: 'owner_of_nothing' }])
    doubts.keep([request])
    await doubts.resolve()
    expect(await trace(executionId)).toMatchObject({ status: 'failed', finishReason: 'error' })
    await finish()
  })
})
