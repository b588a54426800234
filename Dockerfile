# The control plane alone: no tool, no tests, no compiler, and nobody’s rights but its own.
# docker build -t svc .

# By digest: a tag can come to name another image. docs/operating/recipes.md, “Docker”, says how they are moved.
FROM node:24.21.0-bookworm@sha256:22553920add6fb1fd909104346924cd30b4b3ac76ca2980f3b8dba8ede3cf945 AS base
WORKDIR /app
# The whole image brings Python, a compiler and Node’s headers, for better-sqlite3 where no build of it can be had.
ENV npm_config_nodedir=/usr/local
COPY package.json package-lock.json ./
COPY packages/contract/package.json packages/contract/
COPY packages/demo-model/package.json packages/demo-model/
COPY packages/server/package.json packages/server/
COPY packages/sdk/package.json packages/sdk/
COPY packages/cli/package.json packages/cli/
COPY packages/testkit/package.json packages/testkit/
COPY lab/package.json lab/
COPY packages/widget/package.json packages/widget/
COPY packages/dashboard/package.json packages/dashboard/
COPY examples/kit/package.json examples/kit/
COPY examples/shop/package.json examples/shop/
COPY examples/booking-desk/package.json examples/booking-desk/
COPY examples/help-desk/package.json examples/help-desk/
COPY examples/fastify-mcp/package.json examples/fastify-mcp/

FROM base AS dependencies
# Optional as well: what another package may be used with, such as a test runner. The test kit’s browser driver is left.
RUN npm ci --omit=dev --omit=optional --workspace @svc/server --no-audit --no-fund \
  && rm -r node_modules/playwright-core node_modules/.bin/playwright-core

FROM base AS build
RUN npm ci --no-audit --no-fund
COPY tsconfig.base.json ./
COPY scripts scripts
COPY packages/contract packages/contract
COPY packages/demo-model packages/demo-model
COPY packages/server packages/server
COPY packages/widget packages/widget
COPY packages/dashboard packages/dashboard
RUN npx tsc -b packages/server && npm run -s build:bundles

FROM node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8787 SVC_DATA_DIR=/data
WORKDIR /app
RUN install --directory --owner=node --group=node --mode=0700 /data
COPY package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY packages/contract/package.json packages/contract/
COPY packages/demo-model/package.json packages/demo-model/
COPY packages/server/package.json packages/server/
COPY --from=dependencies /app/packages/server/node_modules packages/server/node_modules
COPY --from=build /app/packages/contract/dist packages/contract/dist
COPY --from=build /app/packages/demo-model/dist packages/demo-model/dist
COPY --from=build /app/packages/server/dist packages/server/dist
COPY packages/widget/package.json packages/widget/
COPY --from=build /app/packages/widget/dist/widget.js* /app/packages/widget/dist/cards.html packages/widget/dist/
COPY packages/dashboard/package.json packages/dashboard/
COPY --from=build /app/packages/dashboard/dist/app packages/dashboard/dist/app
USER node
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "packages/server/dist/bundle/main.js"]
