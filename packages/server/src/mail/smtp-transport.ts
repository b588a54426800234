import { createTransport } from 'nodemailer'
import type { MailSettings } from './mail-settings.ts'
import type { MailTransport } from './mailer.ts'

const CONNECT_MS = 10_000
const ANSWER_MS = 20_000

/** Sends over SMTP. A password leaves this machine under TLS alone. */
export function smtpTransport({ host, port, isSecure, credentials, from }: MailSettings): MailTransport {
  const isLocal = host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
  const smtp = createTransport({
    host,
    port,
    secure: isSecure,
    requireTLS: credentials !== null && !isLocal,
    ...(credentials && { auth: { user: credentials.user, pass: credentials.password.reveal() } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    // Texts of ours name no files and no addresses to load.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ to, subject, text }) {
      // An address as an object is taken as it is: a text would be parsed, as a list of several perhaps.
      await smtp.sendMail({ from, to: { name: '', address: to }, subject, text })
    },
    close: () => smtp.close(),
  }
}
