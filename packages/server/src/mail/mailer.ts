import type { Logger } from 'pino'
import { KeyedSemaphore } from '../lib/keyed-semaphore.ts'
import { limitTime } from '../lib/limit-time.ts'

/** A mail of plain text to one address. */
export interface Mail {
  to: string
  subject: string
  text: string
}

/** The way to a mail server. */
export interface MailTransport {
  send(mail: Mail): Promise<void>
  close(): void
}

export interface Mailer {
  /** False while so many mails wait that no further one is taken. */
  hasRoom(): boolean
  /**
   * Composes a mail and sends it, both later: no caller can tell from the time of an answer whether there is one. A failure is
   * logged alone. Each network sends one at a time.
   */
  post(network: string, compose: () => Promise<Mail | null>): void
  /** Waits for what was posted, `waitMs` at most, and lets the mail server go. */
  close(waitMs: number): Promise<void>
}

const QUEUE = { permits: 4, permitsPerKey: 1, waiting: 200, waitingPerKey: 20 }

export function createMailer({ transport, logger }: { transport: MailTransport; logger: Logger }): Mailer {
  const queue = new KeyedSemaphore(QUEUE)
  const posted = new Set<Promise<void>>()
  return {
    hasRoom: () => queue.waiting < QUEUE.waiting,
    post(network, compose) {
      const sending = queue
        .run(network, async () => {
          const mail = await compose()
          if (mail) await transport.send(mail)
        })
        .catch((error: unknown) => logger.warn(causeOf(error), 'a mail was not sent'))
        .finally(() => posted.delete(sending))
      posted.add(sending)
    },
    async close(waitMs) {
      await limitTime(Promise.all(posted), waitMs, undefined)
      transport.close()
    },
  }
}

// The message of a mail server's refusal can hold the recipient's address.
function causeOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return {}
  const { code, command, responseCode }: Record<string, unknown> = { ...error }
  return { error: error.name, code, command, responseCode }
}
