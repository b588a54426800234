// Written by “npm run generate:api”, from /openapi.json.
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who answers here */
        get: operations["getService"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the service lives */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This description of the API */
        get: operations["getOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime/{runtimeId}/manifest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch what a runtime publishes
         * @description An Agent Discovery Specification document, built from the serving deployment. 404 before the first one; 400 where the deployment names neither a website nor `adp.namespace`.
         */
        get: operations["getManifest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime/{runtimeId}/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch a runtime’s broker calls as an OpenAPI document
         * @description An OpenAPI 3.1 document with one operation for each capability of the serving deployment that a stranger may call. Capabilities that a person approves are left out. 404 before the first deployment.
         */
        get: operations["getRuntimeOpenApi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime/{runtimeId}/server.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe a runtime as the MCP registry does
         * @description A `server.json` that can be published in a registry of MCP servers. 404 before the first deployment; 400 where the deployment names neither a website nor `adp.namespace`.
         */
        get: operations["getServerJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-protected-resource/v1/mcp/{runtimeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find who signs in the users of an MCP server
         * @description Protected-resource metadata (RFC 9728) of `/v1/mcp/<runtime_id>`. 404 where the serving deployment has no `endUsers`.
         */
        get: operations["getProtectedResource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/capabilities/{runtimeId}/{capability}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call a capability anonymously
         * @description No credential, no model. An unknown runtime, an unknown capability and a runtime without an endpoint are one and the same 404. A capability that needs an end user answers 401 without `endUserToken`. A request with the header `x-svc-execution-id`, a call of this service’s own that came back to it, answers 403. A call takes one unit of the rate limit that the runtime’s broker has for itself, whatever becomes of it; one that is let in draws on the anonymous share of the quota and on the quota itself. A 404 takes nothing of a runtime; it is limited by network, and has no `RateLimit-*` headers.
         */
        post: operations["callCapability"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/mcp/{runtimeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Speak to a runtime as an MCP server
         * @description The Model Context Protocol over HTTP, revision 2026-07-28, without sessions; clients of 2025-11-25 and 2025-06-18 are served, too. Its tools are the capabilities of the serving deployment. `tools/call` is a call through the broker: the same limits, the same share of the quota, the same trace. Refusals are JSON-RPC errors, with the protocol’s code or else the HTTP status as their code. An unknown runtime, one without a deployment and one without an endpoint are one and the same 404.
         */
        post: operations["callMcp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime/execute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run the agent on a conversation
         * @description A failed execution is a result too: HTTP 200, `status` `failed`. With `Accept: text/event-stream` the same execution comes event by event and ends in `done`.
         */
        post: operations["execute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime/capability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Call one capability, without a model
         * @description What a page does while it waits for something. A failed call is HTTP 200 with `error`. One that a person has to approve first is HTTP 200 with `approval`.
         */
        post: operations["callOwnCapability"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime/executions/{executionId}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Resume the stream of an execution
         * @description The events after `Last-Event-ID` of an execute that was streamed with `detach`, those to come included, with `done` last. A wrong id and a wrong key are one 404. Where events were dropped meanwhile, `gap` says so and `done` follows. Events wait until five minutes after the end; past that, and on a server that does not run the execution and cannot ask the one that does, the 404 says that they are not held.
         */
        get: operations["resumeExecution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime/executions/{executionId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a streamed execution
         * @description The execution ends as `failed` with `finishReason` `cancelled`. Answers once it has ended: capability calls under way end first. After the end nothing is changed, and the answer holds the status that the execution has.
         */
        post: operations["cancelExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime/executions/{executionId}/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Rate an answer
         * @description What the end user thought of a streamed execution that has ended: a number, never a text. A wrong id, a wrong key and an execution that still runs are one 404.
         */
        put: operations["rateExecution"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime/widget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a chat shows where its page says nothing
         * @description Name and colour of the deployed `website`, and what to say first. May be kept for five minutes. It has a rate limit of its own, the same figure again.
         */
        get: operations["readWidgetSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime/approvals/{approvalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch where an approval stands
         * @description The header `x-svc-approval-key` carries the approval’s key. A wrong id, key or runtime is one and the same 404.
         */
        get: operations["getApproval"];
        put?: never;
        /**
         * Approve or decline a call
         * @description Approving dispatches the call once, and answers what became of it: 200 also where it failed. Asked again, it answers the same and does nothing. A wrong id, key, end user’s token or runtime is one and the same 404.
         */
        post: operations["decideApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime/deployment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch the serving deployment with its manifest
         * @description 404 before the first one.
         */
        get: operations["getServingDeployment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deploy a manifest
         * @description It replaces the deployment before it as a whole and serves from now on, unless `promote` or `traffic` makes it a candidate. 429 where too many deployments are being checked at once.
         */
        post: operations["deploy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deployments/{version}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Promote a deployment, or set its share
         * @description Without `traffic` it becomes the stable one, which ends the candidate; an older one is a rollback. With it, it becomes the candidate with this share, and its counts begin anew.
         */
        post: operations["promoteDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Look at the serving deployment, and check in */
        get: operations["getRuntimeStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Check in */
        post: operations["sendHeartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Examine the endpoint
         * @description Calls it in right and in false ways: a replay, a changed body, wrong times, secrets and signatures. Nothing is charged or recorded. One at a time for each account, six a minute, else 429. It takes up to half a minute.
         */
        post: operations["examineEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sign-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Open an account and sign in */
        post: operations["signUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign in */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sign out */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/device": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a device code
         * @description The device authorization request of RFC 8628, for a program on a machine of the owner’s.
         */
        post: operations["beginDeviceLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/device/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask whether a device was confirmed, and for its key
         * @description 403 where the owner declined, 429 where the last poll was less than `interval` seconds ago.
         */
        post: operations["pollDeviceLogin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mail a link that sets a new password
         * @description The answer, and its time, are the same whether the address has an account or not. 403 where the service sends no mail.
         */
        post: operations["askForPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/password-reset/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password with the token of a link
         * @description A link works once, for 30 minutes. All sessions of the member end, and with `revokeKeys` their API keys; two-factor sign-in stays on.
         */
        post: operations["confirmPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** What the holder of a link is invited to */
        post: operations["readInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/invitation/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation and sign in
         * @description 403 where the address has an account already, and where the account has as many members as it can.
         */
        post: operations["acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Who is asking */
        get: operations["getAccount"];
        put?: never;
        post?: never;
        /**
         * Delete the account
         * @description With a session and the password. Its keys, sessions and runtimes stop at once, those of all members, and everything is deleted in the background but its payments. Where a subscription pays for its plan, `cancelSubscription` has to be true. Needs the role `owner`.
         */
        delete: operations["deleteAccount"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Change the password */
        post: operations["changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the sessions of the member, the last used first */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        /** Revoke every session but the one of the request */
        delete: operations["revokeOtherSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revoke a session at once */
        delete: operations["revokeSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/devices/{userCode}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which device waits under a user code */
        get: operations["getWaitingDevice"];
        put?: never;
        /**
         * Let a device have a key of one’s own, or refuse it
         * @description With a session.
         */
        post: operations["answerDevice"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether two-factor sign-in is on */
        get: operations["getTwoFactor"];
        put?: never;
        /**
         * Get a secret for an app that makes codes
         * @description Needs a session. It is asked for at sign-in only once one of its codes was confirmed.
         */
        post: operations["startTwoFactor"];
        /**
         * Turn two-factor sign-in off
         * @description Needs a session, the password, and a code of the app or a recovery code.
         */
        delete: operations["stopTwoFactor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Turn two-factor sign-in on with the first code of the app
         * @description Needs a session. The recovery codes are shown this once; each works once in place of a code.
         */
        post: operations["confirmTwoFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the members, the first to join first */
        get: operations["listMembers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/members/{memberId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member
         * @description With a session. Their sessions and the keys of their `svc login` end at once. An account keeps one owner. Removing one needs the password, and ends all open invitations. Needs the role `owner`.
         */
        delete: operations["removeMember"];
        options?: never;
        head?: never;
        /**
         * Give a member another role
         * @description With a session. Every request of theirs has it at once. An account keeps one owner. Making or demoting one needs the password, and ends all open invitations where an owner is demoted. Needs the role `owner`.
         */
        patch: operations["changeMember"];
        trace?: never;
    };
    "/v1/account/leave": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave the account
         * @description With a session and the password. One’s sessions and keys of `svc login` end at once. The last owner cannot leave.
         */
        post: operations["leaveAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the open invitations, newest first
         * @description Needs the role `owner`.
         */
        get: operations["listInvitations"];
        put?: never;
        /**
         * Invite an address to the account
         * @description With a session; an owner is invited with the password. Mails a link that works once, for 7 days; where the service sends no mail, the answer holds it. An earlier invitation of the address is replaced. An address belongs to one account: who accepts is told where it has one. Needs the role `owner`.
         */
        post: operations["inviteMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an invitation
         * @description With a session. Needs the role `owner`.
         */
        delete: operations["revokeInvitation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtimes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List runtimes, newest first */
        get: operations["listRuntimes"];
        put?: never;
        /**
         * Register a runtime, or update it
         * @description Idempotent on `runtimeId`. A new runtime answers 201 with its keys and its signing secret; one that exists answers 200 without them, and what the request leaves out stays as it was. Needs the role `developer`.
         */
        post: operations["registerRuntime"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtimes/{runtimeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fetch a runtime */
        get: operations["getRuntime"];
        put?: never;
        post?: never;
        /**
         * Delete a runtime
         * @description Its keys and its addresses stop at once, and its executions under way are stopped. Its deployments, executions, approvals, events and usage are deleted in the background; usage of the present hour counts until the hour is over. Its id is not given again. Needs the role `developer`.
         */
        delete: operations["deleteRuntime"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtimes/{runtimeId}/allowed-origins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the list of allowed origins
         * @description The origins whose pages may use the public key. An empty list lets every origin. Needs the role `developer`.
         */
        put: operations["setAllowedOrigins"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects/{projectId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fetch a project */
        get: operations["getProject"];
        put?: never;
        post?: never;
        /**
         * Delete an empty project
         * @description The default project stays, and so does one that has runtimes: delete those first. Needs the role `developer`.
         */
        delete: operations["deleteProject"];
        options?: never;
        head?: never;
        /**
         * Rename or describe a project
         * @description Needs the role `developer`.
         */
        patch: operations["updateProject"];
        trace?: never;
    };
    "/v1/runtimes/{runtimeId}/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Examine the endpoint of a runtime
         * @description Calls it in right and in false ways: a replay, a changed body, wrong times, secrets and signatures. Nothing is charged or recorded. One at a time for each account, six a minute, else 429. It takes up to half a minute. Needs the role `developer`.
         */
        post: operations["examineRuntime"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtimes/{runtimeId}/deployments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a runtime’s deployments, newest first
         * @description The stable one is `active`, one beside it may be the `candidate`, all others are `superseded`.
         */
        get: operations["listDeployments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtimes/{runtimeId}/deployments/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fetch a deployment with its manifest */
        get: operations["getDeployment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtimes/{runtimeId}/deployments/{version}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Promote a deployment of a runtime, or set its share
         * @description Without `traffic` it becomes the stable one, which ends the candidate; an older one is a rollback. With it, it becomes the candidate with this share, and its counts begin anew. Needs the role `developer`.
         */
        post: operations["promoteRuntimeDeployment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtimes/{runtimeId}/traffic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Compare the stable deployment with the candidate */
        get: operations["getTraffic"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtimes/{runtimeId}/reveal-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reveal a key in full
         * @description Needs the role `developer`.
         */
        post: operations["revealKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtimes/{runtimeId}/rotate-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace a key; the old one works on for a grace period
         * @description Needs the role `developer`.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtimes/{runtimeId}/revoke-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a key at once, without a replacement
         * @description Needs the role `developer`.
         */
        post: operations["revokeKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtimes/{runtimeId}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the signing secret; the old one works on for a grace period
         * @description Needs the role `developer`.
         */
        post: operations["rotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the account’s API keys, newest first
         * @description An owner sees all of them; others see those that their own `svc login` made.
         */
        get: operations["listAccountKeys"];
        put?: never;
        /**
         * Create an API key of the account
         * @description It has a role as members have, and stays when the member who made it leaves. Needs the role `owner`.
         */
        post: operations["createAccountKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/account/keys/{keyId}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End an API key of the account at once
         * @description Owners end any, others those that their own `svc login` made.
         */
        post: operations["revokeAccountKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List executions */
        get: operations["listExecutions"];
        put?: never;
        /**
         * Run the agent on one of your runtimes
         * @description As a page does with a public key, with `system` turns allowed. Spends the quota; the rate limit of the runtime does not apply. Needs the role `developer`.
         */
        post: operations["executeAsOwner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/executions/{executionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fetch the trace of an execution */
        get: operations["getExecution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/executions/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List approvals
         * @description Calls for which a person’s approval was asked, newest first. The input is shown while the call waits.
         */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/executions/approvals/{approvalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch where an approval stands
         * @description The header `x-svc-approval-key` carries the approval’s key. A wrong id, key or runtime is one and the same 404.
         */
        get: operations["getApprovalAsOwner"];
        put?: never;
        /**
         * Approve or decline a call
         * @description Approving dispatches the call once, and answers what became of it: 200 also where it failed. Asked again, it answers the same and does nothing. A wrong id, key, end user’s token or runtime is one and the same 404. Needs the role `developer`.
         */
        post: operations["decideApprovalAsOwner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/traces/runtime/{runtimeId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the traces of a runtime */
        get: operations["listTraces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/traces/{executionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Fetch a trace */
        get: operations["getTrace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List projects */
        get: operations["listProjects"];
        put?: never;
        /**
         * Create a project
         * @description Needs the role `developer`.
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/analytics/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Summarize executions over time */
        get: operations["getAnalyticsSummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what happened in the account lately, newest first
         * @description The events that webhooks are told of, whether or not there is a webhook. The latest 200 are kept.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description A viewer sees origins in place of URLs.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook; the answer alone holds its secret
         * @description Needs the role `developer`.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch a webhook
         * @description A viewer sees the origin in place of its URL.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook and the events that wait for it
         * @description Needs the role `developer`.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List a webhook’s deliveries, newest first */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event again, under the same id
         * @description Needs the role `developer`.
         */
        post: operations["redeliverWebhookEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List plans
         * @description Every plan with its price and its limits, and the one that the account is on. Null is unlimited.
         */
        get: operations["listPlans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read current usage
         * @description The current UTC hour. Executions count from their admission, their calls and tokens once they have ended. `available` is what would be admitted right now.
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/checkout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start an upgrade
         * @description Opens a payment page, valid for an hour, in place of any that was opened before. The payer comes back to one of the two addresses with `checkoutId` in the query. The plan changes once the payment provider has confirmed. Needs the role `owner`.
         */
        post: operations["startCheckout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/billing/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm a completed payment
         * @description Asks the payment provider. May be repeated. Needs the role `owner`.
         */
        post: operations["verifyCheckout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AcceptInvitationRequest: {
            /**
             * @description What stands after `#` in the link.
             * @example EXAMPLE-session-token
             */
            token: string;
            /** @example EXAMPLE-long-password */
            password: string;
        };
        Account: {
            ownerId: string;
            /**
             * @description The address of the account: that of one of its owners.
             * @example ada@shop.example.com
             */
            email: string;
            tier: components["schemas"]["Tier"];
            createdAt: components["schemas"]["Timestamp"];
            /** @default owner */
            role: components["schemas"]["Role"];
            /**
             * @description The member who asks; null for an API key of the account.
             * @default null
             */
            member: {
                memberId: string;
                /** @example ada@shop.example.com */
                email: string;
            } | null;
        };
        AccountEvent: {
            eventId: string;
            type: components["schemas"]["WebhookEvent"];
            /** @example rt_shoe-shop */
            runtimeId: string | null;
            at: components["schemas"]["Timestamp"];
            data: {
                [key: string]: string | number | null;
            };
        };
        AccountEventList: {
            events: components["schemas"]["AccountEvent"][];
            /** @example WzE3NzI2NDI0NjkzMTAsImV4ZWNfMUJuVHQiXQ */
            nextCursor: string | null;
        };
        AccountKey: {
            /** @example key_1BnTtEXAMPLEkey01 */
            keyId: string;
            /** @example shoe-shop */
            name: string;
            prefix: string;
            role: components["schemas"]["Role"];
            /** @description The address of the member whose `svc login` made it: it has their role. Null for a key of the account. */
            member: string | null;
            createdAt: components["schemas"]["Timestamp"];
            /** @description To the minute; null where it was not used yet. */
            lastUsedAt: components["schemas"]["Timestamp"] | null;
            revokedAt: components["schemas"]["Timestamp"] | null;
        };
        AccountKeyList: {
            keys: components["schemas"]["AccountKey"][];
            /** @example WzE3NzI2NDI0NjkzMTAsImV4ZWNfMUJuVHQiXQ */
            nextCursor: string | null;
        };
        Adp: {
            namespace: components["schemas"]["Namespace"];
            id?: string;
        };
        Agent: {
            /** @example You help the customers of a shoe shop. Prices are in euros. */
            instructions?: string;
            limits?: {
                steps?: number;
                tokens?: number;
            };
        };
        AllowedOrigins: {
            /** @example rt_shoe-shop */
            runtimeId: string;
            allowedOrigins: string[];
        };
        AllowedOriginsRequest: {
            /**
             * @example [
             *       "https://shop.example.com"
             *     ]
             */
            origins: string[];
        };
        /** @enum {string} */
        AnalyticsBucket: "hour" | "day";
        AnalyticsSummary: {
            range: {
                from: components["schemas"]["Timestamp"];
                to: components["schemas"]["Timestamp"];
                bucket: components["schemas"]["AnalyticsBucket"];
                clamped: boolean;
            };
            totals: {
                executions: number;
                completed: number;
                failed: number;
                capabilityCalls: number;
                failedCalls: number;
                unknownCalls: components["schemas"]["UnknownCalls"];
                inputTokens: number;
                outputTokens: number;
                totalTokens: number;
                avgDurationMs: number | null;
                p50DurationMs: number | null;
                p95DurationMs: number | null;
                /**
                 * @description Executions that their end user rated 1.
                 * @default 0
                 */
                thumbsUp: number;
                /**
                 * @description Executions that their end user rated -1.
                 * @default 0
                 */
                thumbsDown: number;
            };
            series: {
                executions: number;
                completed: number;
                failed: number;
                capabilityCalls: number;
                failedCalls: number;
                unknownCalls: components["schemas"]["UnknownCalls"];
                inputTokens: number;
                outputTokens: number;
                at: components["schemas"]["Timestamp"];
                p50DurationMs: number | null;
                p95DurationMs: number | null;
            }[];
            capabilities: {
                /** @example find-shoes */
                capability: string;
                calls: number;
                failed: number;
                unknown: number;
                p50DurationMs: number | null;
                p95DurationMs: number | null;
            }[];
            runtimes: {
                /** @example rt_shoe-shop */
                runtimeId: string;
                executions: number;
                failed: number;
                failedCalls: number;
                unknownCalls: components["schemas"]["UnknownCalls"];
                totalTokens: number;
                p50DurationMs: number | null;
                p95DurationMs: number | null;
            }[];
        };
        Approval: {
            approvalId: components["schemas"]["ApprovalId"];
            /** @example call_1BnTtEXAMPLEcall1 */
            callId: string;
            /** @example find-shoes */
            capability: string;
            status: components["schemas"]["ApprovalStatus"];
            preview: components["schemas"]["Preview"];
            createdAt: components["schemas"]["Timestamp"];
            expiresAt: components["schemas"]["Timestamp"];
            decidedAt: components["schemas"]["Timestamp"] | null;
            /** @example rt_shoe-shop */
            runtimeId: string;
            /** @example exec_1BnTtEXAMPLErun01 */
            executionId: string;
            deploymentVersion: number;
            /**
             * @description `{truncated: true}` once nobody waits for it any more.
             * @example {
             *       "query": "red shoes",
             *       "maxPrice": 60
             *     }
             */
            input: components["schemas"]["JsonObject"];
        };
        ApprovalAnswer: {
            approvalId: components["schemas"]["ApprovalId"];
            status: components["schemas"]["ApprovalStatus"];
            /** @example exec_1BnTtEXAMPLErun01 */
            executionId: string;
            /** @description What the model is to be told of the call; absent while nobody has decided, and while the approved call is under way. */
            result?: components["schemas"]["ToolResultPart"];
            outcome?: components["schemas"]["ApprovedOutcome"];
        };
        ApprovalDecision: {
            /** @enum {string} */
            decision: "approve" | "decline";
            approvalKey: string;
            /** @example EXAMPLE-token-of-your-own-log-in */
            endUserToken?: string;
        };
        /** @example apr_1BnTtEXAMPLEask01 */
        ApprovalId: string;
        ApprovalList: {
            approvals: components["schemas"]["Approval"][];
            /** @example WzE3NzI2NDI0NjkzMTAsImV4ZWNfMUJuVHQiXQ */
            nextCursor: string | null;
        };
        ApprovalRequiredEvent: {
            approvalId: components["schemas"]["ApprovalId"];
            approvalKey: string;
            /** @example call_1BnTtEXAMPLEcall1 */
            callId: string;
            /** @example find-shoes */
            capability: string;
            preview: components["schemas"]["Preview"];
            expiresAt: components["schemas"]["Timestamp"];
            /** @constant */
            type: "approval_required";
        };
        /**
         * @description `pending` until somebody decides, or `expiresAt` has passed.
         * @enum {string}
         */
        ApprovalStatus: "pending" | "approved" | "declined" | "expired";
        /**
         * @description What became of the approved call, once it has ended. `unknown`: it may or may not have taken effect.
         * @enum {string}
         */
        ApprovedOutcome: "completed" | "failed" | "unknown";
        BillingUsage: {
            tier: components["schemas"]["Tier"];
            periodStart: components["schemas"]["Timestamp"];
            periodEnd: components["schemas"]["Timestamp"];
            executions: {
                used: number;
                available: number | null;
                perHour: number | null;
                burst: number | null;
            };
            anonymous: {
                used: number;
                available: number | null;
                perHour: number | null;
                burst: number | null;
            };
            capabilityCalls: number;
            inputTokens: number;
            outputTokens: number;
            totalTokens: number;
            storedBytes: {
                used: number;
                limit: number | null;
            };
            /** @default null */
            modelPrices: components["schemas"]["ModelPrices"] | null;
            warnings: string[];
        };
        BrokerRequest: {
            /**
             * @default {}
             * @example {
             *       "query": "red shoes",
             *       "maxPrice": 60
             *     }
             */
            input: components["schemas"]["JsonObject"];
            /**
             * @example {
             *       "page": "/shoes"
             *     }
             */
            metadata?: components["schemas"]["JsonObject"];
            /** @example EXAMPLE-token-of-your-own-log-in */
            endUserToken?: string;
        };
        CallFailure: {
            /** @example The shop did not answer in time. */
            message: string;
            /**
             * @description `end_user_required`: the endpoint refused the call before it ran, for want of an `endUserToken`.
             * @enum {string}
             */
            code?: "end_user_required";
        };
        CancelledExecution: {
            /** @example exec_1BnTtEXAMPLErun01 */
            executionId: string;
            status: components["schemas"]["ExecutionStatus"];
        };
        Capability: {
            name: components["schemas"]["CapabilityName"];
            version: components["schemas"]["SemVer"];
            /**
             * @default
             * @example Finds shoes by words and price.
             */
            description: string;
            /** @default false */
            requiresEndUser: boolean;
            /** @default [] */
            actions: components["schemas"]["CapabilityAction"][];
            deprecated?: boolean;
            deprecatedSince?: components["schemas"]["SemVer"];
            removalNotBefore?: components["schemas"]["SemVer"];
            /**
             * @example {
             *       "page": "/shoes"
             *     }
             */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Default `write`. */
            effect?: components["schemas"]["CapabilityEffect"];
            confirm?: boolean;
            preview?: boolean;
        };
        CapabilityAction: {
            /** @example shoe-shop */
            name: string;
            /** @example Finds shoes by words and price. */
            description?: string;
            permissions?: string[];
            /**
             * @example {
             *       "type": "object",
             *       "properties": {
             *         "query": {
             *           "type": "string"
             *         },
             *         "maxPrice": {
             *           "type": "number"
             *         }
             *       }
             *     }
             */
            inputSchema?: components["schemas"]["JsonObject"];
            /**
             * @example {
             *       "type": "object",
             *       "properties": {
             *         "shoes": {
             *           "type": "array"
             *         }
             *       }
             *     }
             */
            outputSchema?: components["schemas"]["JsonObject"];
        };
        CapabilityApproval: {
            /** @example exec_1BnTtEXAMPLErun01 */
            executionId: string;
            approval: components["schemas"]["PendingApproval"];
        };
        /** @enum {string} */
        CapabilityEffect: "read" | "write" | "destructive";
        CapabilityFailure: {
            /** @example exec_1BnTtEXAMPLErun01 */
            executionId: string;
            error: components["schemas"]["Failure"];
            /**
             * @description `unknown`: nobody knows whether the call took effect. `completed`, in a repeat: it did, and its output is not kept.
             * @enum {string}
             */
            outcome?: "unknown" | "completed";
            durationMs: number;
        };
        CapabilityInput: {
            name: components["schemas"]["CapabilityName"];
            version: components["schemas"]["SemVer"];
            /**
             * @default
             * @example Finds shoes by words and price.
             */
            description: string;
            /** @default false */
            requiresEndUser: boolean;
            /** @default [] */
            actions: components["schemas"]["CapabilityAction"][];
            deprecated?: boolean;
            deprecatedSince?: components["schemas"]["SemVer"];
            removalNotBefore?: components["schemas"]["SemVer"];
            /**
             * @example {
             *       "page": "/shoes"
             *     }
             */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Default `write`. */
            effect?: components["schemas"]["CapabilityEffect"];
            confirm?: boolean;
            preview?: boolean;
        };
        /**
         * @description A letter, then up to 63 letters, digits or hyphens. Unique in a deployment, whatever the case.
         * @example find-shoes
         */
        CapabilityName: string;
        CapabilityOutput: {
            /** @example exec_1BnTtEXAMPLErun01 */
            executionId: string;
            /**
             * @example {
             *       "shoes": [
             *         {
             *           "name": "Canvas Red",
             *           "price": 49.9
             *         }
             *       ]
             *     }
             */
            output: unknown;
            durationMs: number;
        };
        CapabilityRequest: {
            /** @example find-shoes */
            capability: string;
            /**
             * @default {}
             * @example {
             *       "query": "red shoes",
             *       "maxPrice": 60
             *     }
             */
            input: components["schemas"]["JsonObject"];
            /**
             * @example {
             *       "page": "/shoes"
             *     }
             */
            metadata?: components["schemas"]["JsonObject"];
            /** @example EXAMPLE-token-of-your-own-log-in */
            endUserToken?: string;
        };
        ChangeMemberRequest: {
            role: components["schemas"]["Role"];
            /**
             * @description One’s own. Needed where an owner is made, demoted or removed.
             * @example EXAMPLE-long-password
             */
            password?: string;
            /** @description With the password where two-factor sign-in is on: six digits of one’s app, or a recovery code. */
            code?: string;
        };
        ChangePasswordRequest: {
            /** @example EXAMPLE-long-password */
            currentPassword: string;
            /** @example EXAMPLE-other-password */
            newPassword: string;
        };
        Checkout: {
            /** @example chk_1BnTtEXAMPLEpay01 */
            checkoutId: string;
            /**
             * Format: uri
             * @example https://shop.example.com
             */
            url: string;
            /** @enum {string} */
            provider: "stripe" | "test";
        };
        CheckoutRequest: {
            /** @constant */
            tier: "pro";
            successUrl: components["schemas"]["WebUrl"];
            cancelUrl: components["schemas"]["WebUrl"];
        };
        ConfirmTwoFactorRequest: {
            code: string;
        };
        Connection: {
            status: components["schemas"]["ConnectionStatus"];
            /** @constant */
            transport: "http";
        };
        /**
         * @description `pending` before the first check-in; `online` for 5 minutes after one or after a call that worked.
         * @enum {string}
         */
        ConnectionStatus: "pending" | "online" | "offline";
        CreateAccountKeyRequest: {
            /** @example shoe-shop */
            name: string;
            /** @description Default: `owner`. */
            role?: components["schemas"]["Role"];
        };
        CreateProjectRequest: {
            /** @example shoe-shop */
            name: string;
            /** @example Finds shoes by words and price. */
            description?: string | null;
        };
        CreateWebhookRequest: {
            url: components["schemas"]["Endpoint"];
            events: components["schemas"]["WebhookEvent"][];
        };
        CreatedAccountKey: {
            /** @example key_1BnTtEXAMPLEkey01 */
            keyId: string;
            /** @example shoe-shop */
            name: string;
            prefix: string;
            role: components["schemas"]["Role"];
            /** @description The address of the member whose `svc login` made it: it has their role. Null for a key of the account. */
            member: string | null;
            createdAt: components["schemas"]["Timestamp"];
            /** @description To the minute; null where it was not used yet. */
            lastUsedAt: components["schemas"]["Timestamp"] | null;
            revokedAt: components["schemas"]["Timestamp"] | null;
            key: string;
        };
        CreatedInvitation: {
            invitationId: string;
            /** @example ada@shop.example.com */
            email: string;
            role: components["schemas"]["Role"];
            createdAt: components["schemas"]["Timestamp"];
            expiresAt: components["schemas"]["Timestamp"];
            /** @description To pass on, where the service sends no mail; only this answer holds it. Null where it was mailed. */
            link: string | null;
        };
        /** @description The one time that the signing secret is shown. The two keys can be revealed later. */
        CreatedRuntime: {
            /** @example rt_shoe-shop */
            runtimeId: string;
            /** @example proj_1BnTtEXAMPLEshop1 */
            projectId: string;
            tier: components["schemas"]["Tier"];
            /** @example svc_sk_EXAM…PLE1 */
            deployKeyPrefix: string | null;
            /** @example svc_pk_EXAM…PLE2 */
            publicKeyPrefix: string | null;
            /** @example EXAMPLE-signing-secret */
            secret: string;
            /** @example svc_sk_EXAMPLE_not_a_key */
            deployKey: string;
            /** @example svc_pk_EXAMPLE_not_a_key */
            publicKey: string;
        };
        CreatedWebhook: {
            webhookId: string;
            /** @example https://shop.example.com */
            url: string;
            events: components["schemas"]["WebhookEvent"][];
            createdAt: components["schemas"]["Timestamp"];
            /** @example EXAMPLE-signing-secret */
            secret: string;
        };
        DeleteAccountRequest: {
            /** @description The e-mail address of the account. */
            confirm: string;
            /** @example EXAMPLE-long-password */
            password: string;
            /** @description Six digits of the account’s app, or a recovery code, where two-factor sign-in is on. */
            code?: string;
            /** @description True where a subscription pays for the account’s plan: it is cancelled at once, without a refund. */
            cancelSubscription?: boolean;
        };
        DeleteProjectRequest: {
            /** @description The name of the project. */
            confirm: string;
        };
        DeleteRuntimeRequest: {
            /** @description The name of the runtime. */
            confirm: string;
        };
        DeletedAccount: {
            ownerId: string;
            deletedAt: components["schemas"]["Timestamp"];
        };
        DeletedProject: {
            /** @example proj_1BnTtEXAMPLEshop1 */
            projectId: string;
            deletedAt: components["schemas"]["Timestamp"];
        };
        DeletedRuntime: {
            /** @example rt_shoe-shop */
            runtimeId: string;
            deletedAt: components["schemas"]["Timestamp"];
        };
        /** @enum {string} */
        DeliveryStatus: "waiting" | "delivered" | "failed";
        DeployRequest: {
            manifest: components["schemas"]["DeploymentManifestInput"];
            /** @description `false` makes a candidate, which serves nobody yet. */
            promote?: boolean;
            /** @description Makes a candidate that serves this share of the executions, in percent. */
            traffic?: number;
            /** @description Shown beside the deployment. */
            source?: {
                /** @description Who wrote the commit. */
                author?: string;
                /** @example 1f0c7ab2 */
                commit?: string;
                /** @description Whether files differed from the commit. */
                dirty?: boolean;
            };
        };
        DeployResponse: {
            version: number;
            /** @enum {string} */
            status: "active" | "candidate";
            capabilities: {
                /** @example shoe-shop */
                name: string;
                hasInputSchema: boolean;
            }[];
            warnings: string[];
            /**
             * @description What differs from the deployment that it replaces; empty where nothing does, and for the first one.
             * @default []
             */
            changes: {
                /** @enum {string} */
                of: "capability" | "setting";
                /**
                 * @description The capability’s name, or the setting’s, dotted.
                 * @example shoe-shop
                 */
                name: string;
                /** @enum {string} */
                kind: "added" | "removed" | "changed";
                /** @description Whether callers of the former deployment may fail with the later one. */
                breaking: boolean;
                /** @description `added`, `removed`, or what changed, such as `party.size maximum 20 → 12`. */
                text: string;
            }[];
        };
        DeploymentDetail: {
            version: number;
            status: components["schemas"]["DeploymentStatus"];
            deployedAt: components["schemas"]["Timestamp"];
            capabilityCount: number;
            /**
             * @description Percent of the executions that go by the split.
             * @default 0
             */
            traffic: number;
            /**
             * @description Of a candidate that failed more often than the stable deployment.
             * @default null
             */
            frozen: components["schemas"]["Frozen"] | null;
            /**
             * @description As it was sent; null where nothing was.
             * @default null
             */
            source: components["schemas"]["DeploymentSource"] | null;
            /**
             * @description The deploy key that sent it, abbreviated.
             * @default null
             */
            deployedBy: string | null;
            manifest: components["schemas"]["DeploymentManifest"];
        };
        DeploymentList: {
            deployments: components["schemas"]["DeploymentListItem"][];
            /** @example WzE3NzI2NDI0NjkzMTAsImV4ZWNfMUJuVHQiXQ */
            nextCursor: string | null;
        };
        DeploymentListItem: {
            version: number;
            status: components["schemas"]["DeploymentStatus"];
            deployedAt: components["schemas"]["Timestamp"];
            capabilityCount: number;
            /**
             * @description Percent of the executions that go by the split.
             * @default 0
             */
            traffic: number;
            /**
             * @description Of a candidate that failed more often than the stable deployment.
             * @default null
             */
            frozen: components["schemas"]["Frozen"] | null;
            /**
             * @description As it was sent; null where nothing was.
             * @default null
             */
            source: components["schemas"]["DeploymentSource"] | null;
            /**
             * @description The deploy key that sent it, abbreviated.
             * @default null
             */
            deployedBy: string | null;
        };
        DeploymentManifest: {
            /** @constant */
            schemaVersion: 2;
            capabilities: components["schemas"]["Capability"][];
            runtime?: {
                sdkVersion?: string;
            };
            endpoint?: components["schemas"]["Endpoint"];
            website?: components["schemas"]["Website"];
            adp?: components["schemas"]["Adp"];
            agent?: components["schemas"]["Agent"];
            endUsers?: components["schemas"]["EndUsers"];
            /**
             * @example {
             *       "page": "/shoes"
             *     }
             */
            metadata?: components["schemas"]["JsonObject"];
            reconcile?: boolean;
        };
        DeploymentManifestInput: {
            /** @constant */
            schemaVersion: 2;
            capabilities: components["schemas"]["CapabilityInput"][];
            runtime?: {
                sdkVersion?: string;
            };
            endpoint?: components["schemas"]["Endpoint"];
            website?: components["schemas"]["Website"];
            adp?: components["schemas"]["Adp"];
            agent?: components["schemas"]["Agent"];
            endUsers?: components["schemas"]["EndUsers"];
            /**
             * @example {
             *       "page": "/shoes"
             *     }
             */
            metadata?: components["schemas"]["JsonObject"];
            reconcile?: boolean;
        };
        DeploymentSource: {
            /** @description Who wrote the commit. */
            author?: string;
            /** @example 1f0c7ab2 */
            commit?: string;
            /** @description Whether files differed from the commit. */
            dirty?: boolean;
        };
        /** @enum {string} */
        DeploymentStatus: "active" | "candidate" | "superseded";
        DeviceDecision: {
            /** @enum {string} */
            status: "authorized" | "denied";
        };
        DeviceLogin: {
            /** @example EXAMPLE-device-code */
            deviceCode: string;
            /** @example WDJB-MJHT */
            userCode: string;
            verificationUri: string;
            verificationUriComplete: string;
            expiresIn: number;
            interval: number;
        };
        DeviceLoginRequest: {
            /**
             * @description The name of the machine that asks: shown to the owner, and part of the key’s name.
             * @example ada-laptop
             */
            machine: string;
        };
        DevicePoll: {
            /** @constant */
            status: "authorization_pending";
        } | {
            /** @constant */
            status: "authorized";
            account: components["schemas"]["Account"];
            /** @example key_1BnTtEXAMPLEkey01 */
            keyId: string;
            key: string;
        };
        DevicePollRequest: {
            /** @example EXAMPLE-device-code */
            deviceCode: string;
        };
        DiscoveryCapability: {
            /** @example shoe-shop */
            name: string;
            invocationName: components["schemas"]["CapabilityName"];
            version: components["schemas"]["SemVer"];
            /** @example Finds shoes by words and price. */
            description?: string;
            /**
             * @example {
             *       "type": "object",
             *       "properties": {
             *         "query": {
             *           "type": "string"
             *         },
             *         "maxPrice": {
             *           "type": "number"
             *         }
             *       }
             *     }
             */
            inputSchema?: components["schemas"]["JsonObject"];
            /**
             * @example {
             *       "type": "object",
             *       "properties": {
             *         "shoes": {
             *           "type": "array"
             *         }
             *       }
             *     }
             */
            outputSchema?: components["schemas"]["JsonObject"];
            deprecated?: boolean;
            deprecatedSince?: components["schemas"]["SemVer"];
            removalNotBefore?: components["schemas"]["SemVer"];
            effect?: components["schemas"]["CapabilityEffect"];
            endpoint: {
                /** @constant */
                transport: "http";
                /**
                 * Format: uri
                 * @example https://svc.example.com/v1/capabilities/rt_shoe-shop/find-shoes
                 */
                address: string;
                /** @enum {string} */
                auth: "none" | "custom:end-user-token";
            };
        };
        /** @description A document of the Agent Discovery Specification 0.3.0. */
        DiscoveryManifest: {
            specVersion: string;
            id: string;
            /** @example shoe-shop */
            name: string;
            /** @example Finds shoes by words and price. */
            description?: string;
            provider: {
                /** @example shoe-shop */
                name: string;
                /** @example https://shop.example.com */
                url?: string;
                /** @example help@shop.example.com */
                contact?: string;
            };
            capabilities: components["schemas"]["DiscoveryCapability"][];
            discovery: {
                cacheTtlSeconds: number;
            };
            lastUpdated?: string;
        };
        DoctorReport: {
            /** @description Whether every row is. */
            ok: boolean;
            rows: components["schemas"]["DoctorRow"][];
        };
        DoctorRequest: {
            /** @description Examined in place of the registered one: for before a deployment. */
            endpoint?: components["schemas"]["Endpoint"];
        };
        DoctorRow: {
            /** @description One of `endpoint`, `connection`, `tls`, `genuine-call`, `answer`, `latency`, `clock`, `raw-body`, `verify-first`, `replay`, `tampered-body`, `stale-timestamp`, `future-timestamp`, `wrong-secret`, `other-runtime`, `loose-signature`, `missing-header`. */
            check: string;
            ok: boolean;
            /**
             * @description What was found, in a sentence or two.
             * @example The shop did not answer in time.
             */
            message: string;
            /** @description What to change; null where nothing has to be. */
            mend: string | null;
        };
        EndUsers: {
            /**
             * Format: uri
             * @description What `iss` says in its tokens, to the letter.
             * @example https://shop.example.com/svc
             */
            issuer: components["schemas"]["Endpoint"];
            /** @description Accepted in `aud` beside the address of the MCP server. */
            audience?: string;
            /** @description Where its keys are. Default: what its metadata says. */
            jwksUri?: components["schemas"]["Endpoint"];
            /** @description Each token must hold all of them. */
            scopes?: string[];
        };
        /**
         * Format: uri
         * @description https, or http on localhost, 127.0.0.1 and [::1]. No user name, no fragment.
         * @example https://shop.example.com/svc
         */
        Endpoint: string;
        /** @description The one form of every refusal and fault. */
        ErrorBody: {
            error: {
                /** @enum {string} */
                code: "validation_error" | "unauthorized" | "forbidden" | "not_found" | "rate_limit_exceeded" | "execution_error" | "internal_error";
                /** @example The shop did not answer in time. */
                message: string;
                details?: {
                    fieldErrors: components["schemas"]["FieldErrors"];
                };
            };
        };
        ExecuteRequest: {
            messages: components["schemas"]["PublicTranscript"];
            /**
             * @example {
             *       "page": "/shoes"
             *     }
             */
            metadata?: components["schemas"]["JsonObject"];
            /** @example EXAMPLE-token-of-your-own-log-in */
            endUserToken?: string;
            /** @description Of a stream alone: the execution goes on when the connection ends, and its events can be resumed. */
            detach?: boolean;
        };
        /** @description `messages` holds the turns that this execution added. A failed execution is a result: check `status`. */
        ExecuteResponse: {
            /** @example exec_1BnTtEXAMPLErun01 */
            executionId: string;
            /** @enum {string} */
            status: "completed" | "failed";
            messages: components["schemas"]["Message"][];
            finishReason: components["schemas"]["FinishReason"];
            inputTokens: number;
            outputTokens: number;
            totalTokens: number;
            durationMs: number;
            error?: components["schemas"]["Failure"];
            /** @description Calls that wait for a person’s approval, with their keys; absent where there are none. */
            approvals?: components["schemas"]["PendingApproval"][];
        };
        /**
         * @description Which way it came in: a chat, a page’s single call, or the broker.
         * @enum {string}
         */
        ExecutionKind: "execute" | "capability" | "broker";
        ExecutionList: {
            /** @example WzE3NzI2NDI0NjkzMTAsImV4ZWNfMUJuVHQiXQ */
            nextCursor: string | null;
            executions: components["schemas"]["ExecutionSummary"][];
        };
        /** @enum {string} */
        ExecutionStatus: "running" | "completed" | "failed";
        ExecutionSummary: {
            /** @example exec_1BnTtEXAMPLErun01 */
            executionId: string;
            /** @example rt_shoe-shop */
            runtimeId: string;
            kind: components["schemas"]["ExecutionKind"];
            /** @default null */
            surface: components["schemas"]["ExecutionSurface"] | null;
            status: components["schemas"]["ExecutionStatus"];
            finishReason: components["schemas"]["FinishReason"] | null;
            durationMs: number | null;
            capabilityCalls: number;
            /** @description Capability calls that failed, 0 while the execution runs. It may be `completed` all the same. */
            failedCalls: number;
            /** @default 0 */
            unknownCalls: components["schemas"]["UnknownCalls"];
            /** @default null */
            feedback: components["schemas"]["Feedback"] | null;
            /**
             * @description The first capability that it called; null where there is none.
             * @default null
             * @example find-shoes
             */
            capability: string | null;
            /**
             * @description Why it failed, cut to 300 characters; null where it did not.
             * @default null
             */
            error: components["schemas"]["Failure"] | null;
            /** @default 0 */
            inputTokens: number;
            /** @default 0 */
            outputTokens: number;
            totalTokens: number;
            startedAt: components["schemas"]["Timestamp"];
            completedAt: components["schemas"]["Timestamp"] | null;
        };
        /**
         * @description The protocol that it came by, where that is not this API’s own: `mcp` is the Model Context Protocol.
         * @enum {string}
         */
        ExecutionSurface: "mcp";
        /** @description What went wrong, in words fit for whoever called. */
        Failure: {
            /** @example The shop did not answer in time. */
            message: string;
        };
        /** @description What the end user thought of it: 1 is good, -1 is bad. */
        Feedback: 1 | -1;
        FeedbackRequest: {
            /** @description 1, -1, or null to take it back. */
            value: components["schemas"]["Feedback"] | null;
        };
        /** @description Messages by dotted field path, `manifest.capabilities.0.name`; a fault of the whole body stands under `body`. */
        FieldErrors: {
            [key: string]: string[];
        };
        /**
         * @description `stop`: the model was done. `length`: a budget ran out. `error`. `cancelled`: the caller left. `approval_required`: a call waits for a person’s approval.
         * @enum {string}
         */
        FinishReason: "stop" | "length" | "error" | "cancelled" | "approval_required";
        Frozen: {
            reason: string;
            at: components["schemas"]["Timestamp"];
        };
        /**
         * @description Of the endpoint, by the last 20 calls and probes within 15 minutes. `unknown`: there were none. `degraded`: the last one failed on its way, or a fifth of them did. `unreachable`: the last three did, or calls are held back. A check-in changes nothing of it.
         * @enum {string}
         */
        Health: "unknown" | "healthy" | "degraded" | "unreachable";
        Heartbeat: {
            /** @constant */
            status: "ok";
            lastSeenAt: components["schemas"]["Timestamp"];
        };
        Invitation: {
            invitationId: string;
            /** @example ada@shop.example.com */
            email: string;
            role: components["schemas"]["Role"];
            createdAt: components["schemas"]["Timestamp"];
            expiresAt: components["schemas"]["Timestamp"];
        };
        InvitationList: {
            invitations: components["schemas"]["Invitation"][];
        };
        InviteRequest: {
            /**
             * Format: email
             * @example ada@shop.example.com
             */
            email: string;
            role: components["schemas"]["Role"];
            /**
             * @description One’s own. Needed where an owner is made, demoted or removed.
             * @example EXAMPLE-long-password
             */
            password?: string;
            /** @description With the password where two-factor sign-in is on: six digits of one’s app, or a recovery code. */
            code?: string;
        };
        /** @description Any JSON object. */
        JsonObject: {
            [key: string]: unknown;
        };
        LeaveRequest: {
            /** @example EXAMPLE-long-password */
            password: string;
            /** @description With the password where two-factor sign-in is on: six digits of one’s app, or a recovery code. */
            code?: string;
        };
        Member: {
            memberId: string;
            /** @example ada@shop.example.com */
            email: string;
            role: components["schemas"]["Role"];
            joinedAt: components["schemas"]["Timestamp"];
            /** @description Whether this request came from this member. */
            isSelf: boolean;
        };
        MemberList: {
            members: components["schemas"]["Member"][];
        };
        Message: {
            /** @constant */
            role: "user";
            parts: components["schemas"]["TextPart"][];
        } | {
            /** @constant */
            role: "assistant";
            parts: (components["schemas"]["TextPart"] | components["schemas"]["ToolCallPart"])[];
        } | {
            /** @constant */
            role: "tool";
            parts: components["schemas"]["ToolResultPart"][];
        } | {
            /** @constant */
            role: "system";
            parts: components["schemas"]["TextPart"][];
        };
        /** @description US dollars for a million tokens of the model, as the operator configured them. */
        ModelPrices: {
            inputPerMillion: number;
            outputPerMillion: number;
        };
        /**
         * @description Two or more segments in the manner of reverse DNS, each of the form of a capability name.
         * @example com.example.shop
         */
        Namespace: string;
        OpenInvitation: {
            /** @description The address of the account. */
            account: string;
            /**
             * @description The address that is invited.
             * @example ada@shop.example.com
             */
            email: string;
            role: components["schemas"]["Role"];
            expiresAt: components["schemas"]["Timestamp"];
        };
        OwnerExecuteRequest: {
            /** @example rt_shoe-shop */
            runtimeId: string;
            messages: components["schemas"]["Transcript"];
            /**
             * @example {
             *       "page": "/shoes"
             *     }
             */
            metadata?: components["schemas"]["JsonObject"];
            /** @example EXAMPLE-token-of-your-own-log-in */
            endUserToken?: string;
            /** @description Of a stream alone: the execution goes on when the connection ends, and its events can be resumed. */
            detach?: boolean;
        };
        PasswordResetAnswer: {
            /** @constant */
            status: "ok";
        };
        PasswordResetConfirmation: {
            /**
             * @description What stands after `#` in the link.
             * @example EXAMPLE-session-token
             */
            token: string;
            /** @example EXAMPLE-long-password */
            password: string;
            /** @description Whether API keys end, too: those of the member’s `svc login` and, of an owner, those of the account. Default: they stay. */
            revokeKeys?: boolean;
        };
        PasswordResetRequest: {
            /**
             * Format: email
             * @example ada@shop.example.com
             */
            email: string;
        };
        PendingApproval: {
            approvalId: components["schemas"]["ApprovalId"];
            approvalKey: string;
            /** @example call_1BnTtEXAMPLEcall1 */
            callId: string;
            /** @example find-shoes */
            capability: string;
            preview: components["schemas"]["Preview"];
            expiresAt: components["schemas"]["Timestamp"];
        };
        Plan: {
            tier: components["schemas"]["Tier"];
            /** @example shoe-shop */
            name: string;
            price: {
                amount: number | null;
                /** @example USD */
                currency: string;
                /** @constant */
                interval: "month";
            };
            limits: components["schemas"]["PlanLimits"];
        };
        PlanLimits: {
            runtimes: number | null;
            executionsPerHour: number | null;
            executionsBurst: number | null;
            anonymousPerHour: number | null;
            anonymousBurst: number | null;
            requestsPerMinute: number;
            analyticsDays: number;
            retentionDays: number;
            storedBytes: number | null;
        };
        PlanList: {
            plans: components["schemas"]["Plan"][];
            current: components["schemas"]["Tier"];
        };
        Preview: {
            title: string;
            lines?: string[];
            amount?: {
                /** @description In whole units of the currency, 12.5 for twelve and a half. */
                value: number;
                /** @example USD */
                currency: string;
            };
            /** @description False: this input needs no approval. */
            confirm?: boolean;
        };
        Project: {
            /** @example proj_1BnTtEXAMPLEshop1 */
            projectId: string;
            /** @example shoe-shop */
            name: string;
            /** @example Finds shoes by words and price. */
            description: string | null;
            isDefault: boolean;
            runtimeCount: number;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        ProjectList: {
            projects: components["schemas"]["Project"][];
            /** @example WzE3NzI2NDI0NjkzMTAsImV4ZWNfMUJuVHQiXQ */
            nextCursor: string | null;
        };
        PromoteRequest: {
            /** @description Makes it the candidate, with this share in percent. Left out: it becomes stable. */
            traffic?: number;
        };
        PromotedDeployment: {
            version: number;
            /** @enum {string} */
            status: "active" | "candidate";
        };
        /** @description A conversation from page source: no turn may speak as `system`. */
        PublicTranscript: ({
            /** @constant */
            role: "user";
            parts: components["schemas"]["TextPart"][];
        } | {
            /** @constant */
            role: "assistant";
            parts: (components["schemas"]["TextPart"] | components["schemas"]["ToolCallPart"])[];
        } | {
            /** @constant */
            role: "tool";
            parts: components["schemas"]["ToolResultPart"][];
        } | {
            /** @constant */
            role: "system";
            parts: components["schemas"]["TextPart"][];
        })[];
        ReadInvitationRequest: {
            /**
             * @description What stands after `#` in the link.
             * @example EXAMPLE-session-token
             */
            token: string;
        };
        Reconciled: {
            /** @enum {string} */
            status: "completed" | "failed" | "never";
            /**
             * @example {
             *       "shoes": [
             *         {
             *           "name": "Canvas Red",
             *           "price": 49.9
             *         }
             *       ]
             *     }
             */
            output?: unknown;
            /** @example The shop did not answer in time. */
            message?: string;
            at: components["schemas"]["Timestamp"];
        };
        RecoveryCodes: {
            recoveryCodes: string[];
        };
        RegisterRuntimeRequest: {
            runtimeId?: components["schemas"]["RuntimeId"];
            /** @example shoe-shop */
            name: string;
            /** @example 1.4.0 */
            version?: string;
            /** @example proj_1BnTtEXAMPLEshop1 */
            projectId?: string;
            endpoint?: components["schemas"]["Endpoint"];
        };
        RemoveMemberRequest: {
            /**
             * @description One’s own. Needed where an owner is made, demoted or removed.
             * @example EXAMPLE-long-password
             */
            password?: string;
            /** @description With the password where two-factor sign-in is on: six digits of one’s app, or a recovery code. */
            code?: string;
        };
        RemovedMember: {
            memberId: string;
        };
        RevealKeyRequest: {
            type: components["schemas"]["RuntimeKeyType"];
        };
        RevealedKey: {
            type: components["schemas"]["RuntimeKeyType"];
            key: string;
            prefix: string;
        };
        RevokeKeyRequest: {
            type: components["schemas"]["RuntimeKeyType"];
        };
        RevokedInvitation: {
            invitationId: string;
        };
        RevokedKey: {
            type: components["schemas"]["RuntimeKeyType"];
            revokedAt: components["schemas"]["Timestamp"];
        };
        RevokedSession: {
            sessionId: string;
        };
        RevokedSessions: {
            revoked: number;
        };
        /**
         * @description `viewer` reads and sees no secret. `developer` may change everything but members, keys of the account, plan and account. `owner` may do everything.
         * @enum {string}
         */
        Role: "owner" | "developer" | "viewer";
        RotateKeyRequest: {
            type: components["schemas"]["RuntimeKeyType"];
            graceSeconds?: number;
        };
        RotateSecretRequest: {
            graceSeconds?: number;
        };
        RotatedKey: {
            type: components["schemas"]["RuntimeKeyType"];
            key: string;
            prefix: string;
            previousKeyExpiresAt: components["schemas"]["Timestamp"] | null;
        };
        RotatedSecret: {
            /** @example EXAMPLE-signing-secret */
            secret: string;
            previousSecretExpiresAt: components["schemas"]["Timestamp"] | null;
        };
        RuntimeDetail: {
            /** @example rt_shoe-shop */
            runtimeId: string;
            /** @example shoe-shop */
            name: string;
            /** @example 1.4.0 */
            version: string;
            /** @example proj_1BnTtEXAMPLEshop1 */
            projectId: string;
            /** @example https://shop.example.com/svc */
            endpoint: string | null;
            connection: components["schemas"]["Connection"];
            health: components["schemas"]["Health"];
            deployment: {
                version: number;
                deployedAt: components["schemas"]["Timestamp"];
            } | null;
            capabilityCount: number;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
            /** @description What the last calls and probes say that the owner can mend, in words; null where there is nothing. */
            healthNote: string | null;
            tier: components["schemas"]["Tier"];
            capabilities: {
                /** @example shoe-shop */
                name: string;
                /** @example 1.4.0 */
                version: string;
                /** @example Finds shoes by words and price. */
                description: string;
                requiresEndUser: boolean;
                deprecated: boolean;
                hasInputSchema: boolean;
                effect: components["schemas"]["CapabilityEffect"];
                /** @description Whether a person approves each call before it runs. */
                confirm: boolean;
            }[];
            allowedOrigins: string[];
            /** @example svc_sk_EXAM…PLE1 */
            deployKeyPrefix: string | null;
            /** @example svc_pk_EXAM…PLE2 */
            publicKeyPrefix: string | null;
            previousDeployKeyExpiresAt: components["schemas"]["Timestamp"] | null;
            previousPublicKeyExpiresAt: components["schemas"]["Timestamp"] | null;
            previousSecretExpiresAt: components["schemas"]["Timestamp"] | null;
            lastSeenAt: components["schemas"]["Timestamp"] | null;
            website: components["schemas"]["Website"] | null;
            adp: components["schemas"]["Adp"] | null;
            /** @description Who signs the end users of its MCP server in; null where nobody does. */
            endUsers: components["schemas"]["EndUsers"] | null;
        };
        /**
         * @description Chosen by its owner, or minted at registration.
         * @example rt_shoe-shop
         */
        RuntimeId: string;
        /** @enum {string} */
        RuntimeKeyType: "deploy" | "public";
        RuntimeList: {
            runtimes: components["schemas"]["RuntimeListItem"][];
            /** @example WzE3NzI2NDI0NjkzMTAsImV4ZWNfMUJuVHQiXQ */
            nextCursor: string | null;
        };
        RuntimeListItem: {
            /** @example rt_shoe-shop */
            runtimeId: string;
            /** @example shoe-shop */
            name: string;
            /** @example 1.4.0 */
            version: string;
            /** @example proj_1BnTtEXAMPLEshop1 */
            projectId: string;
            /** @example https://shop.example.com/svc */
            endpoint: string | null;
            connection: components["schemas"]["Connection"];
            health: components["schemas"]["Health"];
            deployment: {
                version: number;
                deployedAt: components["schemas"]["Timestamp"];
            } | null;
            capabilityCount: number;
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        RuntimeStatus: {
            /** @example rt_shoe-shop */
            runtimeId: string;
            /** @example shoe-shop */
            name?: string;
            baseUrl?: string;
            /**
             * @description Null where there is none: capabilities cannot be called then.
             * @example https://shop.example.com/svc
             */
            endpoint?: string | null;
            deployment: {
                version: number;
                status: components["schemas"]["DeploymentStatus"];
                deployedAt: components["schemas"]["Timestamp"];
            } | null;
            /**
             * @description A deployment that serves a share of the executions beside the stable one.
             * @default null
             */
            candidate: {
                version: number;
                /** @description Percent of the executions that go by the split. */
                traffic: number;
                frozen: components["schemas"]["Frozen"] | null;
            } | null;
            capabilities: string[];
            /** @default [] */
            deprecated: {
                /** @example shoe-shop */
                name: string;
                deprecatedSince: components["schemas"]["SemVer"];
                removalNotBefore: components["schemas"]["SemVer"] | null;
            }[];
            /**
             * @description The capabilities whose `effect` is not `write`, or whose calls a person approves.
             * @default []
             */
            effects: {
                /** @example shoe-shop */
                name: string;
                effect: components["schemas"]["CapabilityEffect"];
                confirm: boolean;
            }[];
            /**
             * @description Of the executions that began within the last 24 hours.
             * @default 0
             */
            unknownCalls: components["schemas"]["UnknownCalls"];
            /**
             * @description Calls of the runtime that wait for a person.
             * @default 0
             */
            waitingApprovals: number;
            connection: components["schemas"]["Connection"];
            health: components["schemas"]["Health"];
            /** @description What the last calls and probes say that the owner can mend, in words; null where there is nothing. */
            healthNote?: string | null;
            provider: {
                /** @example shoe-shop */
                name: string;
                model: string;
            };
        };
        /**
         * @description A version after Semantic Versioning 2.0.
         * @example 1.4.0
         */
        SemVer: string;
        ServiceHealth: {
            /** @constant */
            status: "ok";
            /** @example 1.4.0 */
            version: string;
            uptime: number;
            timestamp: components["schemas"]["Timestamp"];
        };
        ServiceInfo: {
            service: string;
            /** @example 1.4.0 */
            version: string;
        };
        Session: {
            account: components["schemas"]["Account"];
            /** @example EXAMPLE-session-token */
            token: string;
            expiresAt: components["schemas"]["Timestamp"];
        };
        SessionItem: {
            sessionId: string;
            /** @description Browser and system, as the sign-in named them; null where it named none. */
            device: string | null;
            createdAt: components["schemas"]["Timestamp"];
            /** @description To the minute. */
            lastUsedAt: components["schemas"]["Timestamp"] | null;
            expiresAt: components["schemas"]["Timestamp"];
            /** @description Whether this request came with it. */
            isCurrent: boolean;
        };
        SessionList: {
            sessions: components["schemas"]["SessionItem"][];
        };
        SignInRequest: {
            /**
             * Format: email
             * @example ada@shop.example.com
             */
            email: string;
            /** @example EXAMPLE-long-password */
            password: string;
            /** @description Six digits of the account’s app, or a recovery code, where two-factor sign-in is on. */
            code?: string;
        };
        SignUpRequest: {
            /**
             * Format: email
             * @example ada@shop.example.com
             */
            email: string;
            /** @example EXAMPLE-long-password */
            password: string;
        };
        SignedOut: {
            /** @constant */
            status: "ok";
        };
        StartTwoFactorRequest: {
            /** @example EXAMPLE-long-password */
            password: string;
        };
        StartedTwoFactor: {
            /**
             * @description 20 bytes in base32.
             * @example EXAMPLE-signing-secret
             */
            secret: string;
            /** @description The same for an app that scans it: an `otpauth:` address of RFC 6238’s codes. */
            uri: string;
        };
        StopTwoFactorRequest: {
            /** @example EXAMPLE-long-password */
            password: string;
            code: string;
        };
        StoredFeedback: {
            /** @example exec_1BnTtEXAMPLErun01 */
            executionId: string;
            feedback: components["schemas"]["Feedback"] | null;
        };
        /** @description What one event’s `data` holds; its name is repeated under `type`. `execution` comes first, `done` last on every stream. `gap`: earlier events are not held any more, and `done` follows. */
        StreamEvent: {
            /** @constant */
            type: "execution";
            /** @example exec_1BnTtEXAMPLErun01 */
            executionId: string;
            resumeKey: string;
        } | {
            /** @constant */
            type: "text";
            /** @example Are there red shoes below 60? */
            content: string;
        } | {
            /** @constant */
            type: "capability_start";
            /** @example call_1BnTtEXAMPLEcall1 */
            callId: string;
            /** @example find-shoes */
            capability: string;
        } | {
            /** @constant */
            type: "capability_end";
            /** @example call_1BnTtEXAMPLEcall1 */
            callId: string;
            /** @example find-shoes */
            capability: string;
            durationMs: number;
            error?: components["schemas"]["CallFailure"];
            /**
             * @description Beside `error`: nobody knows whether the call took effect.
             * @constant
             */
            outcome?: "unknown";
        } | components["schemas"]["ApprovalRequiredEvent"] | {
            /** @constant */
            type: "gap";
        } | {
            /** @example exec_1BnTtEXAMPLErun01 */
            executionId: string;
            /** @enum {string} */
            status: "completed" | "failed";
            messages: components["schemas"]["Message"][];
            finishReason: components["schemas"]["FinishReason"];
            inputTokens: number;
            outputTokens: number;
            totalTokens: number;
            durationMs: number;
            error?: components["schemas"]["Failure"];
            /** @description Calls that wait for a person’s approval, with their keys; absent where there are none. */
            approvals?: components["schemas"]["PendingApproval"][];
            /** @constant */
            type: "done";
        };
        TextPart: {
            /** @constant */
            type: "text";
            /** @example Are there red shoes below 60? */
            content: string;
        };
        /**
         * @description The plan of the account. It follows from billing, never from a request.
         * @enum {string}
         */
        Tier: "free" | "pro" | "enterprise";
        /**
         * Format: date-time
         * @description ISO 8601 in UTC, with milliseconds.
         * @example 2026-03-04T16:41:09.310Z
         */
        Timestamp: string;
        ToolCallPart: {
            /** @constant */
            type: "tool_call";
            id: string;
            /** @example shoe-shop */
            name: string;
            /**
             * @example {
             *       "query": "red shoes",
             *       "maxPrice": 60
             *     }
             */
            input: components["schemas"]["JsonObject"];
        };
        ToolResultPart: {
            /** @constant */
            type: "tool_result";
            toolCallId: string;
            /** @example shoe-shop */
            name: string;
            /**
             * @example {
             *       "shoes": [
             *         {
             *           "name": "Canvas Red",
             *           "price": 49.9
             *         }
             *       ]
             *     }
             */
            output: unknown;
            error?: components["schemas"]["CallFailure"];
        };
        /** @description Shapes, counts and capability payloads, never message text. A payload of more than 64 KiB is kept as `{truncated, bytes, preview}`. */
        Trace: {
            /** @example exec_1BnTtEXAMPLErun01 */
            executionId: string;
            /** @example rt_shoe-shop */
            runtimeId: string;
            /** @example proj_1BnTtEXAMPLEshop1 */
            projectId: string;
            deploymentVersion: number | null;
            kind: components["schemas"]["ExecutionKind"];
            /** @default null */
            surface: components["schemas"]["ExecutionSurface"] | null;
            status: components["schemas"]["ExecutionStatus"];
            finishReason: components["schemas"]["FinishReason"] | null;
            error: components["schemas"]["Failure"] | null;
            messageShape: components["schemas"]["TurnShape"][];
            steps: number;
            modelSteps: components["schemas"]["TracedStep"][];
            inputTokens: number;
            outputTokens: number;
            totalTokens: number;
            durationMs: number | null;
            /**
             * @example {
             *       "page": "/shoes"
             *     }
             */
            metadata: components["schemas"]["JsonObject"] | null;
            capabilityCalls: components["schemas"]["TracedCall"][];
            /** @description Capability calls that failed, 0 while the execution runs. It may be `completed` all the same. */
            failedCalls: number;
            /** @default 0 */
            unknownCalls: components["schemas"]["UnknownCalls"];
            /** @default null */
            feedback: components["schemas"]["Feedback"] | null;
            /**
             * @description Calls for which a person’s approval was asked. A call that was approved is among `capabilityCalls`, too.
             * @default []
             */
            approvals: components["schemas"]["TracedApproval"][];
            startedAt: components["schemas"]["Timestamp"];
            completedAt: components["schemas"]["Timestamp"] | null;
        };
        TraceList: {
            /** @example WzE3NzI2NDI0NjkzMTAsImV4ZWNfMUJuVHQiXQ */
            nextCursor: string | null;
            traces: components["schemas"]["ExecutionSummary"][];
        };
        TracedApproval: {
            approvalId: components["schemas"]["ApprovalId"];
            /** @example call_1BnTtEXAMPLEcall1 */
            callId: string;
            /** @example find-shoes */
            capability: string;
            status: components["schemas"]["ApprovalStatus"];
            preview: components["schemas"]["Preview"];
            createdAt: components["schemas"]["Timestamp"];
            expiresAt: components["schemas"]["Timestamp"];
            decidedAt: components["schemas"]["Timestamp"] | null;
        };
        TracedCall: {
            /** @example call_1BnTtEXAMPLEcall1 */
            callId: string;
            /** @example find-shoes */
            capability: string;
            step: number;
            /** @description Absent from calls that an earlier release made. */
            effect?: components["schemas"]["CapabilityEffect"];
            /** @enum {string} */
            status: "completed" | "failed" | "unknown";
            /**
             * @example {
             *       "query": "red shoes",
             *       "maxPrice": 60
             *     }
             */
            input: unknown;
            /**
             * @example {
             *       "shoes": [
             *         {
             *           "name": "Canvas Red",
             *           "price": 49.9
             *         }
             *       ]
             *     }
             */
            output: unknown;
            error: components["schemas"]["Failure"] | null;
            startedAt: components["schemas"]["Timestamp"];
            durationMs: number | null;
            /** @description What the endpoint said later of an unknown call. */
            reconciled?: components["schemas"]["Reconciled"];
        };
        TracedStep: {
            step: number;
            startedAt: components["schemas"]["Timestamp"];
            durationMs: number;
            inputTokens: number;
            outputTokens: number;
        };
        TrafficCounts: {
            executions: number;
            /** @description Executions that failed, and those with a capability call that failed or whose outcome is unknown. */
            bad: number;
            /** @description Executions that failed. */
            failed: number;
            inputTokens: number;
            outputTokens: number;
            p50DurationMs: number | null;
            p95DurationMs: number | null;
        };
        TrafficReport: {
            /** @description Null before the first promotion. `counts` is null without a candidate. */
            stable: {
                version: number;
                /** @description Percent of the executions that go by the split. */
                traffic: number;
                counts: components["schemas"]["TrafficCounts"] | null;
            } | null;
            candidate: {
                version: number;
                /** @description Percent of the executions that go by the split. */
                traffic: number;
                frozen: components["schemas"]["Frozen"] | null;
                counts: components["schemas"]["TrafficCounts"];
            } | null;
            /** @description When the candidate got its share: counts begin there. */
            since: components["schemas"]["Timestamp"] | null;
            /** @description The older deployment that a rollback without a number makes stable again. Null where there is none. */
            previousVersion: number | null;
        };
        /** @description A conversation. The tool turn after a `tool_call` answers it with a `tool_result`. A later tool turn may hold one more result of it, as after an approval. */
        Transcript: components["schemas"]["Message"][];
        TurnShape: {
            /** @enum {string} */
            role: "user" | "assistant" | "tool" | "system";
            parts: {
                /** @enum {string} */
                type: "text" | "tool_call" | "tool_result";
            }[];
        };
        TwoFactor: {
            isOn: boolean;
            since: components["schemas"]["Timestamp"] | null;
            recoveryCodesLeft: number;
        };
        /** @description Capability calls whose outcome is unknown; none of them is among `failedCalls`. */
        UnknownCalls: number;
        UpdateProjectRequest: {
            /** @example shoe-shop */
            name?: string;
            /** @example Finds shoes by words and price. */
            description?: string | null;
        };
        /** @description Its keys and its secret stay as they were: neither is shown. */
        UpdatedRuntime: {
            /** @example rt_shoe-shop */
            runtimeId: string;
            /** @example proj_1BnTtEXAMPLEshop1 */
            projectId: string;
            tier: components["schemas"]["Tier"];
            /** @example svc_sk_EXAM…PLE1 */
            deployKeyPrefix: string | null;
            /** @example svc_pk_EXAM…PLE2 */
            publicKeyPrefix: string | null;
        };
        VerifiedCheckout: {
            /** @example chk_1BnTtEXAMPLEpay01 */
            checkoutId: string;
            /** @enum {string} */
            status: "paid" | "pending" | "expired";
            tier: components["schemas"]["Tier"];
        };
        VerifyCheckoutRequest: {
            /** @example chk_1BnTtEXAMPLEpay01 */
            checkoutId: string;
        };
        WaitingDevice: {
            /** @example WDJB-MJHT */
            userCode: string;
            /** @example ada-laptop */
            machine: string;
            network: string;
            requestedAt: components["schemas"]["Timestamp"];
            expiresAt: components["schemas"]["Timestamp"];
        };
        /**
         * Format: uri
         * @description An absolute address, http or https.
         * @example https://shop.example.com
         */
        WebUrl: string;
        Webhook: {
            webhookId: string;
            /** @example https://shop.example.com */
            url: string;
            events: components["schemas"]["WebhookEvent"][];
            createdAt: components["schemas"]["Timestamp"];
        };
        WebhookDelivery: {
            deliveryId: string;
            type: components["schemas"]["WebhookEvent"];
            /** @example rt_shoe-shop */
            runtimeId: string | null;
            status: components["schemas"]["DeliveryStatus"];
            attempts: number;
            lastError: string | null;
            createdAt: components["schemas"]["Timestamp"];
            nextAttemptAt: components["schemas"]["Timestamp"] | null;
            endedAt: components["schemas"]["Timestamp"] | null;
        };
        WebhookDeliveryList: {
            deliveries: components["schemas"]["WebhookDelivery"][];
            /** @example WzE3NzI2NDI0NjkzMTAsImV4ZWNfMUJuVHQiXQ */
            nextCursor: string | null;
        };
        /** @enum {string} */
        WebhookEvent: "quota.threshold" | "endpoint.unreachable" | "endpoint.recovered" | "deployment.promoted" | "deployment.frozen" | "call.unknown" | "key.revealed" | "key.rotated";
        WebhookList: {
            webhooks: components["schemas"]["Webhook"][];
        };
        Website: {
            /** @example shoe-shop */
            name: string;
            /** @example Finds shoes by words and price. */
            description?: string;
            url?: components["schemas"]["WebUrl"];
            /** @example help@shop.example.com */
            contact?: string;
            /**
             * @description The accent of its chat, `#rgb` or `#rrggbb`.
             * @example #1f4fd8
             */
            color?: string;
        };
        WidgetSettings: {
            /**
             * @description Of the deployed `website`; null without one.
             * @example shoe-shop
             */
            name: string | null;
            /** @description Its `color`, `#rgb` or `#rrggbb`; null without one. */
            accent: string | null;
            /** @description What to say first, made from names and descriptions of capabilities. */
            suggestions: string[];
        };
    };
    responses: {
        /** @description `details.fieldErrors` names each failing field. */
        BadRequest: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description No credential, or one that is not valid on this plane. */
        Unauthorized: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description The caller may not do this: the message says why. */
        Forbidden: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description It does not exist, or belongs to another account. */
        NotFound: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description A limit is reached: the message says which. */
        TooManyRequests: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description A fault of the service. The request id helps to find it. */
        InternalError: {
            headers: {
                "x-request-id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The id of the request: the caller’s own where it is well-formed. */
        RequestId: string;
        /** @description In how many seconds a further try can succeed. */
        RetryAfter: number;
        /** @description How many requests to this runtime a minute takes. */
        RateLimitLimit: number;
        /** @description How many of them the server that answers still takes. */
        RateLimitRemaining: number;
        /** @description In how many seconds all of them are there again. */
        RateLimitReset: number;
        /** @description Names this very content; send it back as `If-None-Match`. */
        ETag: string;
        /** @description How long the answer may be kept. */
        CacheControl: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getService: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceInfo"];
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalError"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceHealth"];
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalError"];
        };
    };
    getOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JsonObject"];
                };
            };
            /** @description Not modified. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getManifest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscoveryManifest"];
                };
            };
            /** @description Not modified. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getRuntimeOpenApi: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        openapi: "3.1.1";
                        info: {
                            title: string;
                            /**
                             * @description The number of the deployment, `7.0.0`.
                             * @example 1.4.0
                             */
                            version: string;
                        } & {
                            [key: string]: unknown;
                        };
                        servers: {
                            /** @example https://shop.example.com */
                            url: string;
                        }[];
                        paths: {
                            [key: string]: {
                                [key: string]: unknown;
                            };
                        };
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Not modified. */
            304: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    ETag: components["headers"]["ETag"];
                    "Cache-Control": components["headers"]["CacheControl"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getServerJson: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
                        /**
                         * @description The namespace of the manifest, a slash, and the runtime’s id.
                         * @example shoe-shop
                         */
                        name: string;
                        title?: string;
                        /** @example Finds shoes by words and price. */
                        description: string;
                        /**
                         * @description The number of the deployment, `7.0.0`.
                         * @example 1.4.0
                         */
                        version: string;
                        websiteUrl?: string;
                        remotes: {
                            /** @constant */
                            type: "streamable-http";
                            /** @example https://shop.example.com */
                            url: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getProtectedResource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The address of the MCP server: what `aud` of a token names. */
                        resource: string;
                        /** @description The issuer that the deployment names. */
                        authorization_servers: string[];
                        scopes_supported: string[];
                        bearer_methods_supported: "header"[];
                        resource_name?: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    callCapability: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat within 24 hours, with the same key and body, gets the recorded answer and charges nothing. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
                /** @description The name of a capability, without its namespace. */
                capability: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BrokerRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityOutput"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            /** @description The call failed. */
            502: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityFailure"];
                };
            };
        };
    };
    callMcp: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat within 24 hours, with the same key and body, gets the recorded answer and charges nothing. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    jsonrpc: "2.0";
                    /** @description Absent from notifications, which are answered 202 without a body. */
                    id?: string | number;
                    /** @description `server/discover`, `tools/list`, `tools/call`, `resources/list`, `resources/read`, `resources/templates/list`, `initialize`, `ping`. */
                    method: string;
                    params?: components["schemas"]["JsonObject"];
                } & {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        jsonrpc: "2.0";
                        id?: string | number;
                        result?: {
                            [key: string]: unknown;
                        };
                        error?: {
                            code: number;
                            /** @example The shop did not answer in time. */
                            message: string;
                            data?: unknown;
                        };
                    };
                };
            };
            /** @description Status 202. */
            202: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Status 400. */
            400: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        jsonrpc: "2.0";
                        /** @description Absent where the message has none that could be read. */
                        id?: string | number;
                        error: {
                            code: number;
                            /** @example The shop did not answer in time. */
                            message: string;
                            data?: unknown;
                        };
                    };
                };
            };
            /** @description Status 401. */
            401: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        jsonrpc: "2.0";
                        /** @description Absent where the message has none that could be read. */
                        id?: string | number;
                        error: {
                            code: number;
                            /** @example The shop did not answer in time. */
                            message: string;
                            data?: unknown;
                        };
                    };
                };
            };
            /** @description Status 403. */
            403: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        jsonrpc: "2.0";
                        /** @description Absent where the message has none that could be read. */
                        id?: string | number;
                        error: {
                            code: number;
                            /** @example The shop did not answer in time. */
                            message: string;
                            data?: unknown;
                        };
                    };
                };
            };
            /** @description Status 404. */
            404: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        jsonrpc: "2.0";
                        /** @description Absent where the message has none that could be read. */
                        id?: string | number;
                        error: {
                            code: number;
                            /** @example The shop did not answer in time. */
                            message: string;
                            data?: unknown;
                        };
                    };
                };
            };
            /** @description Status 429. */
            429: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        jsonrpc: "2.0";
                        /** @description Absent where the message has none that could be read. */
                        id?: string | number;
                        error: {
                            code: number;
                            /** @example The shop did not answer in time. */
                            message: string;
                            data?: unknown;
                        };
                    };
                };
            };
            /** @description Status 500. */
            500: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        jsonrpc: "2.0";
                        /** @description Absent where the message has none that could be read. */
                        id?: string | number;
                        error: {
                            code: number;
                            /** @example The shop did not answer in time. */
                            message: string;
                            data?: unknown;
                        };
                    };
                };
            };
        };
    };
    execute: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExecuteRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecuteResponse"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    callOwnCapability: {
        parameters: {
            query?: never;
            header?: {
                /** @description A repeat within 24 hours, with the same key and body, gets the recorded answer and charges nothing. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CapabilityRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapabilityOutput"] | components["schemas"]["CapabilityFailure"] | components["schemas"]["CapabilityApproval"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    resumeExecution: {
        parameters: {
            query?: never;
            header: {
                /** @description The `resumeKey` of the stream’s first event. */
                "x-svc-resume-key": string;
                /** @description The id of the last event that arrived. None or 0: from the first event on. */
                "last-event-id"?: string;
            };
            path: {
                /** @description The id of an execution, `exec_…`. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    cancelExecution: {
        parameters: {
            query?: never;
            header: {
                /** @description The `resumeKey` of the stream’s first event. */
                "x-svc-resume-key": string;
            };
            path: {
                /** @description The id of an execution, `exec_…`. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelledExecution"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    rateExecution: {
        parameters: {
            query?: never;
            header: {
                /** @description The `resumeKey` of the stream’s first event. */
                "x-svc-resume-key": string;
            };
            path: {
                /** @description The id of an execution, `exec_…`. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FeedbackRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredFeedback"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    readWidgetSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WidgetSettings"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an approval, `apr_…`. */
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    decideApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an approval, `apr_…`. */
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApprovalDecision"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    "RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getServingDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentDetail"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    deploy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeployRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeployResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    promoteDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The number of a deployment; `candidate`; or `previous`, the one that was stable before. */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PromoteRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromotedDeployment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getRuntimeStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    sendHeartbeat: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Heartbeat"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    examineEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DoctorRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoctorReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    signUp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignUpRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedOut"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    beginDeviceLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeviceLoginRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceLogin"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    pollDeviceLogin: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DevicePollRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DevicePoll"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    askForPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordResetRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordResetAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    confirmPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordResetConfirmation"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasswordResetAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    readInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadInvitationRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OpenInvitation"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    acceptInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptInvitationRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    deleteAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteAccountRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedAccount"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePasswordRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    revokeOtherSessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedSessions"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    revokeSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a session, `ses_…`. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedSession"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getWaitingDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The code that the device shows, `WDJB-MJHT`. */
                userCode: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaitingDevice"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    answerDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The code that the device shows, `WDJB-MJHT`. */
                userCode: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeviceDecision"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceDecision"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getTwoFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TwoFactor"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    startTwoFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartTwoFactorRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedTwoFactor"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    stopTwoFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StopTwoFactorRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TwoFactor"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    confirmTwoFactor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmTwoFactorRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listMembers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    removeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a member, `mem_…`. */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RemoveMemberRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedMember"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    changeMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a member, `mem_…`. */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeMemberRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    leaveAccount: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LeaveRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedMember"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listInvitations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    inviteMember: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InviteRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedInvitation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    revokeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an invitation, `inv_…`. */
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedInvitation"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listRuntimes: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before. Leave it out for the first page. */
                cursor?: string;
                /** @description The id of a project, `proj_…`. */
                projectId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    registerRuntime: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterRuntimeRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatedRuntime"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedRuntime"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getRuntime: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeDetail"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    deleteRuntime: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteRuntimeRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedRuntime"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    setAllowedOrigins: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AllowedOriginsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllowedOrigins"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a project, `proj_…`. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    deleteProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a project, `proj_…`. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteProjectRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedProject"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    updateProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a project, `proj_…`. */
                projectId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateProjectRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    examineRuntime: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DoctorRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DoctorReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listDeployments: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before. Leave it out for the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
                /** @description The number of a deployment; the first is 1. */
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeploymentDetail"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    promoteRuntimeDeployment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
                /** @description The number of a deployment; `candidate`; or `previous`, the one that was stable before. */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PromoteRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromotedDeployment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getTraffic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrafficReport"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    revealKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevealKeyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevealedKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateKeyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevokeKeyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    rotateSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateSecretRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listAccountKeys: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before. Leave it out for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountKeyList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    createAccountKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAccountKeyRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedAccountKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    revokeAccountKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an account’s key, `key_…`. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listExecutions: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before. Leave it out for the first page. */
                cursor?: string;
                /** @description Only those of this status. */
                status?: components["schemas"]["ExecutionStatus"];
                /** @description Only those with a capability call that failed, or whose outcome is unknown, whatever their status. */
                calls?: "failed" | "unknown";
                /** @description Only those that the end user rated so. */
                feedback?: "up" | "down";
                /** @description An ISO 8601 date or date-time, or milliseconds since the epoch. The time starts with `from` and ends before `to`. */
                from?: string;
                /** @description An ISO 8601 date or date-time, or milliseconds since the epoch. The time starts with `from` and ends before `to`. */
                to?: string;
                /** @description The id of a project, `proj_…`. */
                projectId?: string;
                /** @description The id of a runtime, `rt_…`. */
                runtimeId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    executeAsOwner: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OwnerExecuteRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecuteResponse"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an execution, `exec_…`. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trace"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before. Leave it out for the first page. */
                cursor?: string;
                /** @description Only those of this status. */
                status?: components["schemas"]["ApprovalStatus"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getApprovalAsOwner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an approval, `apr_…`. */
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    decideApprovalAsOwner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an approval, `apr_…`. */
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApprovalDecision"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalAnswer"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listTraces: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before. Leave it out for the first page. */
                cursor?: string;
                /** @description Only those of this status. */
                status?: components["schemas"]["ExecutionStatus"];
                /** @description Only those with a capability call that failed, or whose outcome is unknown, whatever their status. */
                calls?: "failed" | "unknown";
                /** @description Only those that the end user rated so. */
                feedback?: "up" | "down";
                /** @description An ISO 8601 date or date-time, or milliseconds since the epoch. The time starts with `from` and ends before `to`. */
                from?: string;
                /** @description An ISO 8601 date or date-time, or milliseconds since the epoch. The time starts with `from` and ends before `to`. */
                to?: string;
                /** @description The id of a project, `proj_…`. */
                projectId?: string;
            };
            header?: never;
            path: {
                /** @description The id of a runtime, `rt_…`. */
                runtimeId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TraceList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getTrace: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of an execution, `exec_…`. */
                executionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trace"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before. Leave it out for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProjectList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateProjectRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getAnalyticsSummary: {
        parameters: {
            query?: {
                /** @description An ISO 8601 date or date-time, or milliseconds since the epoch. The time starts with `from` and ends before `to`. */
                from?: string;
                /** @description An ISO 8601 date or date-time, or milliseconds since the epoch. The time starts with `from` and ends before `to`. */
                to?: string;
                /** @description How finely the time is cut, in UTC. */
                bucket?: components["schemas"]["AnalyticsBucket"];
                /** @description The id of a project, `proj_…`. */
                projectId?: string;
                /** @description The id of a runtime, `rt_…`. */
                runtimeId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AnalyticsSummary"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before. Leave it out for the first page. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountEventList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookRequest"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a webhook, `wh_…`. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a webhook, `wh_…`. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description How many entries a page has at most. */
                limit?: number;
                /** @description The `nextCursor` of the page before. Leave it out for the first page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The id of a webhook, `wh_…`. */
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    redeliverWebhookEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id of a webhook, `wh_…`. */
                webhookId: string;
                /** @description The id of a delivery, `msg_…`. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    listPlans: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanList"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    getUsage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BillingUsage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    startCheckout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckoutRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checkout"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
    verifyCheckout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyCheckoutRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "x-request-id": components["headers"]["RequestId"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifiedCheckout"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
        };
    };
}
