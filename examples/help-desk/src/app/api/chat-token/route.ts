import { type NextRequest, NextResponse } from 'next/server'
import { helpDesk } from '../../../help-desk.ts'
import { SESSION_COOKIE } from '../../../session-cookie.ts'
import { beginChat } from '../../../store/sessions.ts'

/** A token for the chat alone, of ten minutes; null where nobody is signed in. The session itself never leaves its cookie. */
export async function POST(request: NextRequest): Promise<NextResponse> {
  const token = beginChat(helpDesk().store, request.cookies.get(SESSION_COOKIE)?.value)
  return NextResponse.json({ token }, { headers: { 'cache-control': 'no-store' } })
}
