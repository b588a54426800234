import { APICallError } from 'ai'
import { z } from 'zod'
import { parseJson } from '../../lib/json-parse.ts'
import type { Answer } from './post.ts'

const MOST_CHARACTERS = 64 * 1024
const Refusal = z.object({ error: z.object({ message: z.string() }) })

/** An answer that is no stream, as the failure that it is. Which of them are worth another try is decided by the status. */
export async function refusalOf(url: URL, answer: Answer): Promise<APICallError> {
  const { status, statusText } = answer
  const said = await textOf(answer).catch(() => '')
  return new APICallError({
    message: messageIn(said) ?? statusText,
    url: url.href,
    requestBodyValues: {},
    statusCode: status,
    responseHeaders: answer.headers(),
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

function messageIn(text: string): string | null {
  try {
    return Refusal.parse(parseJson(text)).error.message
  } catch {
    return null
  }
}
