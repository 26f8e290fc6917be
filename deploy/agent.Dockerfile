# The bridge: one coding agent behind /chat, for clients of the AI SDK (`signalbox agent`). From the top of the repository:
#
#   docker build -f deploy/agent.Dockerfile -t signalbox-agent .
#   docker run --init --rm -p 127.0.0.1:3002:3002 -e AGENT_TOKEN=… -e ANTHROPIC_API_KEY=… \
#     -v "$PWD:/workspace" -v signalbox-agent:/home/agent --user "$(id -u):$(id -g)" signalbox-agent
#
# Callers show AGENT_TOKEN (`Authorization: Bearer …`). Another agent: --build-arg AGENT=<npm package>, and -e AGENT_COMMAND=<its
# program>. An image that has its agent already: --build-arg BASE=<image> --build-arg AGENT=

ARG BASE=node:24-bookworm-slim

# The bridge itself, as one bundle. Made with scripts/bundle-agent.ts before, in dist/agent, it is taken as it is.
FROM ${BASE} AS bridge
WORKDIR /build
COPY . .
RUN if [ ! -f dist/agent/agent.mjs ]; then \
      npm install --omit=dev --ignore-scripts --no-audit --no-fund && node scripts/bundle-agent.ts; \
    fi

FROM ${BASE} AS agent
ARG AGENT=@agentclientprotocol/claude-agent-acp
RUN mkdir -p /opt/agent/bin && if [ -n "$AGENT" ]; then npm install --global --prefix /opt/agent --no-audit --no-fund $AGENT; fi

FROM ${BASE}
COPY --from=bridge /build/dist/agent /opt/signalbox
COPY --from=agent /opt/agent /opt/agent
# Whoever it runs as: the container is all theirs.
RUN mkdir -p /workspace /home/agent && chmod 777 /workspace /home/agent
ENV PATH=/opt/agent/bin:$PATH \
    HOME=/home/agent \
    HOST=0.0.0.0 \
    PORT=3002 \
    AGENT_CWD=/workspace \
    SESSION_FILE=/home/agent/agent-session.json
USER 10001:10001
WORKDIR /workspace
EXPOSE 3002
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/opt/signalbox/agent.mjs"]
