import { helpDesk } from '../../help-desk.ts'

/** Where the control plane sends its signed calls. The SDK’s handler takes a `Request` and gives a `Response`, as Next does. */
export const POST = (request: Request): Promise<Response> => helpDesk().svc(request)
