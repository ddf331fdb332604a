# docker build -t surefoot .
# docker run --rm --network none -v "$PWD:/work" --user "$(id -u)" surefoot score log.jsonl
FROM python:3.11-slim AS build
COPY . /source
RUN pip install --no-cache-dir --prefix /installed '/source[documents,parquet,label,monitor,llm]'

FROM python:3.11-slim
COPY --from=build /installed /usr/local
RUN useradd --create-home surefoot
USER surefoot
WORKDIR /work
ENTRYPOINT ["surefoot"]
CMD ["--help"]
