# The bot (docs/bot.md). The build takes what is committed and leaves the bundle, which needs nothing beside Node.
# test-heavy/bot/dockerfile.test.ts runs these steps as a script; that Docker makes an image of them is unproven.
FROM node:20.20.2-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --ignore-scripts
RUN npm run build

FROM node:20.20.2-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV PORT=3000
COPY --from=build /app/package.json package.json
COPY --from=build /app/LICENSE LICENSE
COPY --from=build /app/build build
USER node
EXPOSE 3000
HEALTHCHECK CMD node -e "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"
CMD ["node", "build/bot.js"]
