import { type NextRequest, NextResponse } from 'next/server'
import { z } from 'zod'
import { helpDesk } from '../../../help-desk.ts'
import { SESSION_COOKIE } from '../../../session-cookie.ts'
import { signIn, signOut } from '../../../store/sessions.ts'

const Credentials = z.object({ email: z.string().max(320), password: z.string().max(1000) })

/** Signs in. The session is a cookie that no script can read. */
export async function POST(request: NextRequest): Promise<NextResponse> {
  const credentials = Credentials.safeParse(await request.json().catch(() => null))
  if (!credentials.success) return problem(400, 'Please give an e-mail address and a password.')
  const session = await signIn(helpDesk().store, credentials.data)
  if (!session) return problem(401, 'This e-mail address and password do not belong together.')
  const response = NextResponse.json({ signedIn: true }, { status: 201 })
  const isSecure = request.nextUrl.protocol === 'https:'
  response.cookies.set(SESSION_COOKIE, session, { httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure })
  return response
}

export async function DELETE(request: NextRequest): Promise<NextResponse> {
  const session = request.cookies.get(SESSION_COOKIE)?.value
  if (session) signOut(helpDesk().store, session)
  const response = NextResponse.json({ signedOut: true })
  response.cookies.delete(SESSION_COOKIE)
  return response
}

function problem(status: number, message: string): NextResponse {
  return NextResponse.json({ error: { message } }, { status })
}
