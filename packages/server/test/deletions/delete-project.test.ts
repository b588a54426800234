import { Project } from '@svc/contract'
import { expect, test } from 'vitest'
import { faultsIn, refusalOf } from '../support/answers.ts'
import { describeEngines, useDatabase } from '../support/engines.ts'
import { type Scene, setScene } from '../support/scene.ts'

describeEngines('deleting a project', (engine) => {
  const database = useDatabase(engine)

  async function makeProject({ service, owner }: Scene, name = 'Shops'): Promise<Project> {
    const answer = await service.send('POST', '/v1/projects', { key: owner.apiKey, body: { name } })
    return Project.parse(answer.json())
  }

  const remove = ({ service, owner }: Scene, projectId: string, confirm = 'Shops') =>
    service.send('DELETE', `/v1/projects/${projectId}`, { key: owner.apiKey, body: { confirm } })

  // holds DEL-11
  test('an empty one is deleted once its name is confirmed', async () => {
    const scene = await setScene(database())
    const { projectId } = await makeProject(scene)
    expect(faultsIn(await remove(scene, projectId, 'shops'))).toEqual({ confirm: [expect.stringContaining('“Shops”')] })
    expect((await remove(scene, projectId)).json()).toEqual({ projectId, deletedAt: expect.any(String) })
    refusalOf(await remove(scene, projectId), 'not_found')
    const list = await scene.service.send('GET', '/v1/projects', { key: scene.owner.apiKey })
    expect(list.body).not.toContain(projectId)
  })

  // holds DEL-12
  test('one with runtimes, and the default one, stay', async () => {
    const scene = await setScene(database(), { tier: 'pro' })
    const { projectId } = await makeProject(scene)
    await scene.service.runtime(scene.owner, { name: 'Other', projectId })
    expect(refusalOf(await remove(scene, projectId), 'forbidden')).toContain('has 1 runtime')
    const { projectId: ofDefault } = scene.runtime
    expect(refusalOf(await remove(scene, ofDefault, 'Default'), 'forbidden')).toContain('default project')
  })

  test('no runtime ends up in a project that is deleted at the same time', async () => {
    const scene = await setScene(database(), { tier: 'enterprise' })
    const { service, owner, runtime } = scene
    for (let round = 0; round < 5; round += 1) {
      const { projectId } = await makeProject(scene)
      const register = (body: object) =>
        service.send('POST', '/v1/runtimes', { key: owner.apiKey, body: { name: 'Shop', projectId, ...body } })
      const [removed, ...registered] = await Promise.all([
        remove(scene, projectId),
        register({}),
        register({ runtimeId: runtime.runtimeId }),
      ])
      const isIn = registered.filter(({ statusCode }) => statusCode < 300).length
      expect([removed.statusCode, isIn > 0]).toEqual(removed.statusCode === 200 ? [200, false] : [403, true])
    }
  })
})
