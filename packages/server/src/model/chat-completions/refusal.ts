import { APICallError } from 'ai'
import { errorIn, jsonIn, messageOf } from '../provider-error.ts'
import type { Answer } from './post.ts'

const MOST_CHARACTERS = 64 * 1024

/** An answer that is no stream, as the failure that it is. Which of them are worth another try is decided by the status. */
export async function refusalOf(url: URL, answer: Answer): Promise<APICallError> {
  const { status, statusText } = answer
  const said = await textOf(answer).catch(() => '')
  return new APICallError({
    message: messageOf(errorIn(jsonIn(said))) ?? statusText,
    url: url.href,
    requestBodyValues: {},
    statusCode: status,
    responseHeaders: answer.headers(),
    responseBody: said,
  })
}

async function textOf({ body }: Answer): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MOST_CHARACTERS) break
  }
  return text
}
