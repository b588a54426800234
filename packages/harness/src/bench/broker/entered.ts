import { createClient } from '../../support/client.ts'
import { freePort } from '../../support/free-port.ts'
import { functionsEntered } from '../../support/inspector.ts'
import { atMost, type Check, type ScenarioContext } from '../../support/scenario.ts'
import { startService } from '../service/service.ts'
import { brokerContender } from './candidates.ts'
import { ENDPOINT_PATH, type Field, type FieldService } from './field.ts'
import { serviceName } from './names.ts'

const WARM_UP = 200
const CALLS = 100
const MOST = 160

/** How many functions of this project a warm call enters, one call at a time; the threads beside the main one not counted. */
export async function judgeEntered(context: ScenarioContext, field: Field): Promise<Check[]> {
  const checks: Check[] = []
  for (const { engine } of field.services) {
    const entered = await countEntered(context, field, engine)
    checks.push(atMost(`${serviceName(engine)}, own functions entered by a warm call`, entered, MOST))
  }
  return checks
}

/** Starts a server of its own for it, since one that is inspected is not measured. */
export async function countEntered(
  context: ScenarioContext,
  { upstream, cluster }: Pick<Field, 'upstream' | 'cluster'>,
  engine: FieldService['engine'],
): Promise<number> {
  const { serverFolder } = context
  const port = await freePort()
  const service = await startService(context, {
    engine,
    cluster,
    serverFolder,
    endpoints: [`${upstream.url}${ENDPOINT_PATH}`],
    modelUrl: upstream.url,
    nodeArguments: [`--inspect=127.0.0.1:${port}`],
  })
  const { requests } = brokerContender('', service, upstream.url)
  const [{ path, headers, body }] = requests
  const client = createClient(service.server.url, 1)
  const work = async () => {
    const heard = await client.send({ method: 'POST', path, headers, text: body })
    if (heard.kind !== 'answer' || heard.status !== 200) throw new Error(`a call failed: ${JSON.stringify(heard)}`)
  }
  try {
    for (let call = 0; call < WARM_UP; call += 1) await work()
    return await functionsEntered(port, isOwn, { work, times: CALLS })
  } finally {
    await client.close()
    service.server.kill()
  }
}

/** Packages of the workspace are linked: their scripts are not below `node_modules`, but for copies of the server. */
function isOwn(url: string): boolean {
  return /\/packages\/[^/]+\/dist\//.test(url) || /\/svc-harness\/server-[^/]+\/dist\//.test(url)
}
