# Two files matter at run time: the Node.js program and the bundle. The image holds these, the libraries that Node.js is
# linked to, and nothing else: no shell, no package manager.
#
#   docker build -t kube-controller-manager:v1.36.4 .

# The version that package.json has, which is the one that the tests have run on.
ARG NODE_IMAGE=node:26.10.0

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json Makefile ./
COPY hack/check-installed.ts hack/
RUN make setup
COPY . .
RUN make build

# The first line of the program names its interpreter: as in upstream's image, `kube-controller-manager --flags` runs it.
# Objects here live either for one sync or for long, so a larger young generation would only add to the memory in use.
# SIGUSR1 must open no inspector, not even before the program is read.
WORKDIR /root-fs
RUN set -eu; \
    mkdir -p usr/local/bin usr/local/lib/compile-cache etc; \
    chown 65532:65532 usr/local/lib/compile-cache; \
    cp "$(readlink -f "$(command -v node)")" usr/local/bin/node; \
    strip --strip-unneeded usr/local/bin/node; \
    ldd usr/local/bin/node | grep -o '/[^ ]*' | xargs -I '{}' cp --parents --dereference '{}' .; \
    { echo '#!/usr/local/bin/node --max-semi-space-size=8 --disable-sigusr1'; tail -n +2 /src/dist/kube-controller-manager.mjs; } \
      > usr/local/bin/kube-controller-manager.mjs; \
    chmod 0755 usr/local/bin/kube-controller-manager.mjs; \
    ln -s kube-controller-manager.mjs usr/local/bin/kube-controller-manager; \
    echo 'nonroot:x:65532:65532::/:/' > etc/passwd

FROM scratch
COPY --from=build /root-fs/ /
# Nearly all is done by one thread; what its helpers allocate would otherwise lie about in an arena for each of them.
# Reading the program is a good part of the time to its first request. What the engine made of it is kept beside it,
# and is made here: once for each of the users of the manifests, as whatever another user has written is not read.
ENV PATH=/usr/local/bin MALLOC_ARENA_MAX=1 NODE_COMPILE_CACHE=/usr/local/lib/compile-cache
USER 65532:65532
RUN ["kube-controller-manager", "--version"]
# As in upstream's image: kubeadm's static Pod names no user, and its files are root's alone (0600). Whoever can do with
# less says so, as the Deployment of deploy/base does.
USER 0:0
RUN ["kube-controller-manager", "--version"]
EXPOSE 10257
ENTRYPOINT ["kube-controller-manager"]
