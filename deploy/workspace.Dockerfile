# An image for workspaces in containers: what agents and people usually need to build and test. From the top of the repository:
#
#   docker build -f deploy/workspace.Dockerfile -t signalbox-workspace .
#   WORKSPACE_IMAGE=signalbox-workspace npm start
#
# Any image with Node 20 or newer will do; this one is only a good start. With agents in it:
#   --build-arg AGENTS="@anthropic-ai/claude-code @openai/codex"
# and on top of another image: --build-arg BASE=<image>, --build-arg PACKAGES="<more Debian packages>"

ARG BASE=node:24-bookworm-slim

# npm and what it leaves behind stay here.
FROM ${BASE} AS agents
ARG AGENTS=
RUN mkdir -p /opt/agents/bin && if [ -n "$AGENTS" ]; then npm install --global --prefix /opt/agents --no-audit --no-fund $AGENTS; fi

FROM ${BASE}
ARG PACKAGES=
# Without apt the base has to bring its own tools.
RUN if command -v apt-get >/dev/null; then \
      apt-get update && \
      DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
        build-essential ca-certificates curl diffutils file git jq less openssh-client patch procps python3 ripgrep unzip \
        xz-utils $PACKAGES && \
      rm -rf /var/lib/apt/lists/*; \
    fi
COPY --from=agents /opt/agents /opt/agents
RUN mkdir -p /workspace /home/agent && chown 10001:10001 /workspace /home/agent
ENV PATH=/opt/agents/bin:$PATH \
    HOME=/home/agent \
    LANG=C.UTF-8
# Signalbox says itself who runs in there; this is for whoever starts it by hand.
USER 10001:10001
WORKDIR /workspace
CMD ["sh"]
