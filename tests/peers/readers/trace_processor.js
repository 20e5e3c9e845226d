// Perfetto's own trace processor, as the web page of Perfetto carries it (a WebAssembly module and the worker around it), without a
// browser:
//   node trace_processor.js FOLDER TRACE SQL...
// FOLDER holds engine_bundle.js and what it loads. Prints one line per query, a JSON list of rows; a row is a list of texts, numbers
// and nulls. Exits 1 with the processor's error.
"use strict";
const fs = require("fs");
const path = require("path");

// TraceProcessorRpc's methods and fields, of Perfetto's trace_processor.proto.
const APPEND = 1, FINALIZE = 2, QUERY = 3;
const APPEND_DATA = 101, QUERY_ARGS = 103, APPEND_RESULT = 201, FINALIZE_RESULT = 202, QUERY_RESULT = 203;
const NULL = 1, INTEGER = 2, NUMBER = 3;
const FIRST_WAIT_MS = 500, MOST_WAIT_MS = 32000;

function varint(value) {
  const bytes = [];
  let left = BigInt(value);
  for (; left > 127n; left >>= 7n) bytes.push(Number(left & 127n) | 128);
  bytes.push(Number(left));
  return Buffer.from(bytes);
}
const bytesField = (field, bytes) => Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
const numberField = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);

function readVarint(bytes, at) {
  let value = 0n;
  for (let shift = 0n;; shift += 7n) {
    const byte = bytes[at.place++];
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return BigInt.asIntN(64, value);
  }
}
function varints(bytes) {
  const values = [];
  for (const at = {place: 0}; at.place < bytes.length;) values.push(readVarint(bytes, at));
  return values;
}
// [field, number or bytes] of a message, in order.
function fieldsOf(bytes) {
  const fields = [];
  for (const at = {place: 0}; at.place < bytes.length;) {
    const tag = Number(readVarint(bytes, at));
    if ((tag & 7) === 0) {
      fields.push([tag >> 3, readVarint(bytes, at)]);
      continue;
    }
    const size = (tag & 7) === 2 ? Number(readVarint(bytes, at)) : (tag & 7) === 1 ? 8 : 4;
    fields.push([tag >> 3, bytes.subarray(at.place, at.place + size)]);
    at.place += size;
  }
  return fields;
}
const all = (fields, wanted) => fields.filter(([field]) => field === wanted).map(([, value]) => value);

// The rows of a QueryResult.
function rowsOf(result) {
  const fields = fieldsOf(result);
  for (const error of all(fields, 2)) throw new Error(error.toString());
  const columns = all(fields, 1).length;
  const cells = [];
  for (const batch of all(fields, 3).map(fieldsOf)) {
    const integers = all(batch, 2).flatMap(varints).map(Number);
    const numbers = all(batch, 3).flatMap((b) => Array.from({length: b.length / 8}, (_, i) => b.readDoubleLE(8 * i)));
    const texts = all(batch, 5).flatMap((b) => b.toString().split("\0").slice(0, -1));
    for (const type of all(batch, 1).flatMap(varints).map(Number)) {
      cells.push(type === NULL ? null : type === INTEGER ? integers.shift() : type === NUMBER ? numbers.shift() : texts.shift());
    }
  }
  return Array.from({length: columns === 0 ? 0 : cells.length / columns}, (_, i) => cells.slice(i * columns, (i + 1) * columns));
}

// The worker's surroundings: a browser's, as far as it looks. `process` is hidden, by which it would tell node.
function startWorker(folder, port) {
  const self = {location: {href: "file:///"}};
  class FileRequest {
    open(method, url) {
      this.url = url;
    }
    send() {
      const file = fs.readFileSync(path.join(folder, path.basename(this.url)));
      this.response = file.buffer.slice(file.byteOffset, file.byteOffset + file.length);
      this.status = 200;
    }
  }
  const program = fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8");
  console.log = console.warn = () => {};  // stdout is ours
  new Function("self", "WorkerGlobalScope", "XMLHttpRequest", "process", "location", program)(
      self, function() {}, FileRequest, undefined, self.location);
  self.onmessage({data: port});
}

class Processor {
  constructor(folder) {
    this.sequence = 0;
    this.answers = [];
    this.port = {postMessage: (data) => this.answers.push(Buffer.from(data))};
    startWorker(folder, this.port);
  }
  // The results of a method, of which a stream has several.
  ask(method, resultField, more) {
    this.answers = [];
    const message = Buffer.concat([numberField(1, this.sequence), numberField(2, method), more]);
    this.port.onmessage({data: new Uint8Array(bytesField(1, message))});
    this.sequence += 1;
    const messages = all(fieldsOf(Buffer.concat(this.answers)), 1).map(fieldsOf);
    for (const error of messages.flatMap((m) => all(m, 5))) throw new Error(error.toString());
    return messages.flatMap((m) => all(m, resultField));
  }
  load(trace) {
    for (const result of this.ask(APPEND, APPEND_RESULT, bytesField(APPEND_DATA, trace))) {
      for (const error of all(fieldsOf(result), 2)) throw new Error(error.toString());
    }
    this.ask(FINALIZE, FINALIZE_RESULT, Buffer.alloc(0));
  }
  query(sql) {
    const results = this.ask(QUERY, QUERY_RESULT, bytesField(QUERY_ARGS, bytesField(1, Buffer.from(sql))));
    return rowsOf(Buffer.concat(results));
  }
}

// The worker does not tell when its module is compiled, and a request before that ends it: another one is given twice the time.
async function readyProcessor(folder) {
  for (let wait = FIRST_WAIT_MS;; wait *= 2) {
    const processor = new Processor(folder);
    await new Promise((resolve) => setTimeout(resolve, wait));
    try {
      processor.ask(APPEND, APPEND_RESULT, bytesField(APPEND_DATA, Buffer.alloc(0)));
      return processor;
    } catch (error) {
      if (wait > MOST_WAIT_MS) throw error;
    }
  }
}

async function main([folder, trace, ...queries]) {
  const processor = await readyProcessor(folder);
  processor.load(fs.readFileSync(trace));
  for (const sql of queries) fs.writeSync(1, JSON.stringify(processor.query(sql)) + "\n");
}

main(process.argv.slice(2)).then(() => process.exit(0), (error) => {
  fs.writeSync(2, `${error.message}\n`);
  process.exit(1);
});
