import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { type DoubleTurn, eventsOfTurn, listenOnFreePort } from '@svc/testkit'

/** A model that says its turns one after the other, each at once: which comes next is told by how many results it has. */
export async function startQuickModel(
  turns: readonly DoubleTurn[],
): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const answers = turns.map((turn) => Buffer.from(eventsOfTurn(turn, 'quick').join('')))
  const server = createServer((request, response) => {
    text(request).then(
      (body) => {
        const results = body.split('"role":"tool"').length - 1
        response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
        response.end(answers[Math.min(results, answers.length - 1)])
      },
      () => response.destroy(),
    )
  })
  const { url, close } = await listenOnFreePort(server)
  return { baseUrl: `${url}/v1`, close }
}
