// A receiver of OTLP over HTTP, binary, as a process of its own: `node otlp-receiver.js [hang]` prints its port. GET /spans gives the
// spans that came, GET /metrics-requests how many requests with metrics. With `hang` it takes requests and answers none.
// Source: opentelemetry-proto, trace/v1/trace.proto and collector/trace/v1/trace_service.proto.
import { createServer } from "node:http";
import protobuf from "protobufjs";

const { root } = protobuf.parse(`
  syntax = "proto3";
  message ExportTraceServiceRequest { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
  message Link { bytes trace_id = 1; bytes span_id = 2; }
  message Status { string message = 2; int32 code = 3; }
  message Span {
    bytes trace_id = 1;
    bytes span_id = 2;
    bytes parent_span_id = 4;
    string name = 5;
    int32 kind = 6;
    repeated KeyValue attributes = 9;
    repeated Link links = 13;
    Status status = 15;
  }
`);
const requestType = root.lookupType("ExportTraceServiceRequest");
const hex = (bytes) => Buffer.from(bytes ?? []).toString("hex");
const facts = (attributes = []) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  );

const spans = [];
let metricsRequests = 0;

function takeSpans(body) {
  const { resourceSpans = [] } = requestType.toObject(requestType.decode(body), { longs: Number });
  for (const { resource, scopeSpans = [] } of resourceSpans) {
    for (const span of scopeSpans.flatMap((scope) => scope.spans ?? [])) {
      spans.push({
        service: facts(resource.attributes)["service.name"],
        instance: facts(resource.attributes)["service.instance.id"],
        name: span.name,
        kind: span.kind,
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId),
        attributes: facts(span.attributes),
        links: (span.links ?? []).map((link) => hex(link.traceId)),
      });
    }
  }
}

const server = createServer(async (request, response) => {
  if (process.argv[2] === "hang") return;
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.url === "/v1/traces") takeSpans(Buffer.concat(chunks));
  if (request.url === "/v1/metrics") metricsRequests += 1;
  const isRead = request.method === "GET";
  const given = request.url === "/spans" ? spans : metricsRequests;
  response.writeHead(200, { "content-type": isRead ? "application/json" : "application/x-protobuf" });
  response.end(isRead ? JSON.stringify(given) : undefined);
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
