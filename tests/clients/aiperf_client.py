# SPDX-License-Identifier: GPL-3.0-or-later
"""AIPerf against a server, and what it measured beside what the server noted of the same requests.

Usage: aiperf_client.py http://127.0.0.1:PORT FOLDER --tokenizer FOLDER [--requests N] [--concurrency N]
[--tokens N] [--bench NAME]
FOLDER takes AIPerf's files. NAME.jsonl and NAME.json: what `pitwallctl bench` measured of that server, as
AIPerf's records and as its own result; AIPerf's parser reads them and they are compared in the same way.
The exit status is the number of figures that differ by more than 2 % and 1 ms (throughput: 2 %).
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import urllib.request

from aiperf.common.models.record_models import MetricRecordInfo

parser = argparse.ArgumentParser()
parser.add_argument("url")
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--tokenizer", required=True)
parser.add_argument("--requests", type=int, default=16)
parser.add_argument("--concurrency", type=int, default=4)
parser.add_argument("--tokens", type=int, default=24)
parser.add_argument("--bench")
options = parser.parse_args()
failed = 0


def get(path):
    with urllib.request.urlopen(options.url + path, timeout=60) as reply:
        return json.load(reply)


def profile():
    """Runs AIPerf; its prompts are a file's, so that no tokenizer decides about them."""
    options.folder.mkdir(parents=True, exist_ok=True)
    prompts = options.folder / "prompts.jsonl"
    lines = [{"text": f"Number {i}: how many ships does the lighthouse see?"} for i in range(options.requests)]
    prompts.write_text("".join(json.dumps(line) + "\n" for line in lines))
    inputs = {"ignore_eos": "true", "max_completion_tokens": options.tokens}
    command = [sys.executable, "-m", "aiperf", "profile", "--model", get("/v1/models")["data"][0]["id"],
               "--url", options.url, "--endpoint-type", "chat", "--streaming", "--use-server-token-count",
               "--tokenizer", options.tokenizer, "--input-file", str(prompts), "--custom-dataset-type", "single-turn",
               "--concurrency", str(options.concurrency), "--request-count", str(options.requests),
               "--export-level", "raw", "--output-artifact-dir", str(options.folder / "aiperf"), "--ui", "none",
               "--no-gpu-telemetry", "--no-server-metrics"]
    for name, value in inputs.items():
        command += ["--extra-inputs", f"{name}:{value}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=240)


def records_of(path):
    """With the parser that AIPerf reads its own exports with."""
    return [MetricRecordInfo.model_validate_json(line) for line in path.read_text().splitlines() if line.strip()]


def server_ids(path):
    """AIPerf's id of a request → the server's, which stands in every chunk."""
    ids = {}
    for line in path.read_text().splitlines():
        record = json.loads(line)
        chunk = json.loads(record["responses"][0]["packets"][0]["value"])
        ids[record["metadata"]["x_request_id"]] = chunk["id"]
    return ids


def line(who, figure, theirs, ours, absolute):
    global failed
    apart = abs(theirs - ours)
    agrees = apart <= max(0.02 * ours, absolute)
    failed += not agrees
    print(f"{'ok    ' if agrees else 'APART '} {who:<7} {figure:<22} {theirs:12.4f} {ours:12.4f} {theirs - ours:+10.4f}")


def sending_ms(metrics):
    """What AIPerf needs for connecting and writing: it counts that, and no server can know of it."""
    return metrics["http_req_sending"].value if "http_req_sending" in metrics else 0


def compare(who, records, ids, throughput):
    """Medians over the requests; a machine that is busy for a moment is in single ones."""
    noted = {request["label"]: request for request in get("/pitwall/requests?last=1000")}
    pairs = [(record.metrics, noted[ids[record.metadata.x_request_id]]) for record in records]
    assert len(pairs) == options.requests and not any(record.error for record in records), records
    for metrics, request in pairs:
        assert metrics["output_sequence_length"].value == request["output_tokens"] == options.tokens, request
        assert metrics["input_sequence_length"].value == request["prompt_tokens"], request
    for tag, key, before in (("time_to_first_token", "ttft_ms", sending_ms), ("inter_token_latency", "tpot_ms", None),
                             ("request_latency", "e2e_ms", sending_ms)):
        theirs = statistics.median(m[tag].value - (before(m) if before else 0) for m, _ in pairs)
        line(who, tag, theirs, statistics.median(request[key] for _, request in pairs), 1)
    took = max(request["finished"] for _, request in pairs) - min(request["arrival"] for _, request in pairs)
    tokens = sum(request["output_tokens"] for _, request in pairs)
    line(who, "tokens/s", throughput, 1e9 * tokens / took, 0)


print(f"       {'':<7} {'':<22} {'client':>12} {'server':>12} {'apart':>10}")
profile()
artifacts = options.folder / "aiperf"
summary = json.loads((artifacts / "profile_export_aiperf.json").read_text())
compare("aiperf", records_of(artifacts / "profile_export.jsonl"), server_ids(artifacts / "profile_export_raw.jsonl"),
        summary["output_token_throughput"]["avg"])
if options.bench:
    records = records_of(pathlib.Path(options.bench + ".jsonl"))
    result = json.loads(pathlib.Path(options.bench + ".json").read_text())
    ids = {record.metadata.x_request_id: record.metadata.x_request_id for record in records}
    compare("bench", records, ids, result["output_throughput"])
sys.exit(failed)
