<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Attachments</name>
    <message>
        <source>“%1” is a folder</source>
        <translation>“%1”是文件夹</translation>
    </message>
    <message>
        <source>Attach its text files</source>
        <translation>附上其中的文本文件</translation>
    </message>
    <message>
        <source>“%1” has %2; a file of up to %3 can be attached</source>
        <translation>“%1”有 %2；可附上的文件最大 %3</translation>
    </message>
    <message>
        <source>Attach the part that matters</source>
        <translation>附上要紧的部分</translation>
    </message>
    <message>
        <source>“%1” is not a text file: it has zero bytes</source>
        <translation>“%1”不是文本文件：其中有零字节</translation>
    </message>
    <message>
        <source>Attach a text file</source>
        <translation>附上文本文件</translation>
    </message>
    <message>
        <source>“%1” is not UTF-8 text</source>
        <translation>“%1”不是 UTF-8 文本</translation>
    </message>
    <message>
        <source>Save it as UTF-8, then attach it again</source>
        <translation>存为 UTF-8 后再附上</translation>
    </message>
    <message>
        <source>“%1” is empty</source>
        <translation>“%1”是空的</translation>
    </message>
    <message>
        <source>Attach another file</source>
        <translation>附上另一个文件</translation>
    </message>
    <message>
        <source>%1 · %2 · %3 tokens</source>
        <translation>%1 · %2 · %3 token</translation>
    </message>
    <message>
        <source>%1 · %2</source>
        <translation>%1 · %2</translation>
    </message>
    <message>
        <source>%1 · reading…</source>
        <translation>%1 · 正在读取…</translation>
    </message>
</context>
<context>
    <name>ChecklistFile</name>
    <message>
        <source>“%1” does not say what to write. Its name must end in .html, .md or .json.</source>
        <translation>从“%1”看不出要写什么。文件名须以 .html、.md 或 .json 结尾。</translation>
    </message>
</context>
<context>
    <name>CompareRows</name>
    <message>
        <source>✓ better</source>
        <translation>✓ 变好</translation>
    </message>
    <message>
        <source>△ worse</source>
        <translation>△ 变差</translation>
    </message>
    <message>
        <source>moved</source>
        <translation>有变化</translation>
    </message>
    <message>
        <source>no change</source>
        <translation>无变化</translation>
    </message>
    <message>
        <source>no interval</source>
        <translation>无区间</translation>
    </message>
    <message>
        <source>%1 requests per s</source>
        <translation>每秒 %1 个请求</translation>
    </message>
    <message>
        <source>%1 at once</source>
        <translation>%1 路并发</translation>
    </message>
    <message>
        <source>%1 in, %2 out on average</source>
        <translation>平均输入 %1，输出 %2</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Effect, 95 %</source>
        <translation>效果，95 %</translation>
    </message>
    <message>
        <source>Difference to %1, in % of it, with its 95 % interval: over repeats, or over ten stretches of each run.</source>
        <translation>与 %1 之差，占其百分比，附 95 % 区间：按重复次数，或按每次运行的十段。</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>判读</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>load: %1</source>
        <translation>负载：%1</translation>
    </message>
    <message>
        <source>△ %1</source>
        <translation>△ %1</translation>
    </message>
    <message>
        <source>Condition</source>
        <translation>条件</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Lengths</source>
        <translation>长度</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Not tested</source>
        <translation>未测试</translation>
    </message>
    <message>
        <source>other lengths, rates and bursts</source>
        <translation>其他长度、速率和突发</translation>
    </message>
    <message>
        <source>quality of the replies</source>
        <translation>回复质量</translation>
    </message>
    <message>
        <source>the settings alone: the environment differs</source>
        <translation>设置本身的效果：环境不同</translation>
    </message>
    <message>
        <source>each setting alone</source>
        <translation>每项设置单独的效果</translation>
    </message>
    <message>
        <source>Better: %1, was %2</source>
        <translation>变好：%1，原为 %2</translation>
    </message>
    <message>
        <source>Worse: %1, was %2</source>
        <translation>变差：%1，原为 %2</translation>
    </message>
    <message>
        <source>%1 against %2, the reference.</source>
        <translation>%1 对照基准 %2。</translation>
    </message>
    <message>
        <source>Better: %1.</source>
        <translation>变好：%1。</translation>
    </message>
    <message>
        <source>Worse: %1.</source>
        <translation>变差：%1。</translation>
    </message>
    <message>
        <source>One variable changed.</source>
        <translation>只改了一个变量。</translation>
    </message>
    <message>
        <source>%1 settings changed: their effects cannot be told apart.</source>
        <translation>改了 %1 项设置：效果无法分开。</translation>
    </message>
    <message>
        <source>The environment is equal.</source>
        <translation>环境相同。</translation>
    </message>
    <message>
        <source>△ The environment differs too.</source>
        <translation>△ 环境也不同。</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>No verdict: no figure has an interval</source>
        <translation>没有结论：没有任何指标有区间</translation>
    </message>
    <message>
        <source>No figure is better or worse beyond its interval</source>
        <translation>没有任何指标的好坏超出其区间</translation>
    </message>
    <message>
        <source>Not tested against chance: repeat the runs, or let them last longer.</source>
        <translation>未排除偶然因素：请重复运行，或延长运行时间。</translation>
    </message>
    <message>
        <source>effect, 95 %</source>
        <translation>效果，95 %</translation>
    </message>
    <message numerus="yes">
        <source>%1 requests, %n runs</source>
        <translation>
            <numerusform>%1 个请求，%n 次运行</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ExamplePrompts</name>
    <message>
        <source>Count to one hundred</source>
        <translation>数到一百</translation>
    </message>
    <message>
        <source>Steady decoding: watch TPOT and the worst ITL</source>
        <translation>平稳解码：看 TPOT 和最差 ITL</translation>
    </message>
    <message>
        <source>Count from one to one hundred in words, one number a line.</source>
        <translation>用汉字从一数到一百，每行一个数。</translation>
    </message>
    <message>
        <source>Find the slow step in a log</source>
        <translation>在日志里找出慢的那一步</translation>
    </message>
    <message>
        <source>A long prompt: watch TTFT, and ITL of what runs beside it</source>
        <translation>长提示词：看 TTFT，以及同时运行的其他请求的 ITL</translation>
    </message>
    <message>
        <source>Which line of this log is unlike the others, and why?</source>
        <translation>这份日志里哪一行与众不同，为什么？</translation>
    </message>
    <message>
        <source>Explain TTFT, TPOT and ITL</source>
        <translation>解释 TTFT、TPOT 和 ITL</translation>
    </message>
    <message>
        <source>Markdown: a table, a list and a code block in one reply</source>
        <translation>Markdown：一条回复里有表格、列表和代码块</translation>
    </message>
    <message>
        <source>Explain TTFT, TPOT and ITL of a language model server: a table with one row each, then a list of what makes each of them worse, then a code block with a curl command that asks for a chat completion.</source>
        <translation>解释语言模型服务的 TTFT、TPOT 和 ITL：先用表格，每项一行；再列出让各项变差的原因；最后给一个代码块，用 curl 请求一次对话补全。</translation>
    </message>
</context>
<context>
    <name>Laps</name>
    <message>
        <source>%1, by the user</source>
        <translation>%1，由用户更改</translation>
    </message>
    <message>
        <source>%1, by a sweep</source>
        <translation>%1，由扫描更改</translation>
    </message>
    <message>
        <source>%1, by a checklist</source>
        <translation>%1，由清单更改</translation>
    </message>
    <message>
        <source>%1, by an HTTP client</source>
        <translation>%1，由 HTTP 客户端更改</translation>
    </message>
</context>
<context>
    <name>Links</name>
    <message>
        <source>Pitwall does not open this kind of link: %1</source>
        <translation>Pitwall 不打开这类链接：%1</translation>
    </message>
    <message>
        <source>The reply links to %1</source>
        <translation>回复中的链接指向 %1</translation>
    </message>
    <message>
        <source>Open in browser</source>
        <translation>在浏览器中打开</translation>
    </message>
</context>
<context>
    <name>Markdown</name>
    <message>
        <source>code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
</context>
<context>
    <name>Presets</name>
    <message>
        <source>Balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>Precise</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>Varied</source>
        <translation>多样</translation>
    </message>
    <message>
        <source>Repeatable</source>
        <translation>可复现</translation>
    </message>
    <message>
        <source>Short answers</source>
        <translation>简短回答</translation>
    </message>
    <message>
        <source>Answer in short sentences. Name the number, the likely cause and the next action. When you are not sure, say what you would measure.</source>
        <translation>用短句回答。说出数字、可能的原因和下一步。没有把握时，说明你会测量什么。</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>You help a programmer. Answer with code in one block with its language named, then explain what is not obvious in a few lines.</source>
        <translation>你在协助程序员。先用一个标明语言的代码块回答，再用几行解释不明显之处。</translation>
    </message>
</context>
<context>
    <name>RecordsTrouble</name>
    <message>
        <source>%1 Until the next start, Pitwall works without records: runs and chats end with the window.</source>
        <translation>%1在下次启动之前，Pitwall 不留记录：运行和对话随窗口关闭而消失。</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>%1 Until the next start, what is there can be read. Runs are not recorded, and what you change in chats ends with the window.</source>
        <translation>%1在下次启动之前，已有的内容可以读取；运行不会被记录，对对话的改动随窗口关闭而消失。</translation>
    </message>
</context>
<context>
    <name>ReportReader</name>
    <message>
        <source>With %1 requests its files are written when you export them.</source>
        <translation>有 %1 个请求，文件在导出时才写出。</translation>
    </message>
    <message>
        <source>The run has not ended: its files still change.</source>
        <translation>运行尚未结束：文件仍在变化。</translation>
    </message>
</context>
<context>
    <name>RunExport</name>
    <message>
        <source>Report, HTML</source>
        <translation>报告，HTML</translation>
    </message>
    <message>
        <source>Report, PDF</source>
        <translation>报告，PDF</translation>
    </message>
    <message>
        <source>Report, Markdown</source>
        <translation>报告，Markdown</translation>
    </message>
    <message>
        <source>Everything it holds, JSON</source>
        <translation>全部内容，JSON</translation>
    </message>
    <message>
        <source>Requests, CSV</source>
        <translation>请求，CSV</translation>
    </message>
    <message>
        <source>vLLM bench result</source>
        <translation>vLLM bench 结果</translation>
    </message>
    <message>
        <source>AIPerf records</source>
        <translation>AIPerf 记录</translation>
    </message>
    <message>
        <source>Trace for Perfetto</source>
        <translation>Perfetto 追踪</translation>
    </message>
</context>
<context>
    <name>RunRows</name>
    <message>
        <source>stop</source>
        <translation>停止符</translation>
    </message>
    <message>
        <source>length</source>
        <translation>长度</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>error</source>
        <translation>出错</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>token/s</translation>
    </message>
    <message>
        <source>Tokens out, from the first arrival to the last token.</source>
        <translation>从第一个请求到达到最后一个 token 之间的输出 token。</translation>
    </message>
    <message>
        <source>ITL max ms</source>
        <translation>ITL 最大 ms</translation>
    </message>
    <message>
        <source>Longest gap between two tokens of one request.</source>
        <translation>同一请求相邻两个 token 的最长间隔。</translation>
    </message>
    <message>
        <source>TTFT p50 ms</source>
        <translation>TTFT p50 ms</translation>
    </message>
    <message>
        <source>Half of the requests had their first token by then.</source>
        <translation>半数请求在此之前拿到首个 token。</translation>
    </message>
    <message>
        <source>TPOT p50 ms</source>
        <translation>TPOT p50 ms</translation>
    </message>
    <message>
        <source>Time per token after the first.</source>
        <translation>首个之后每个 token 的耗时。</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>That ended in this run.</source>
        <translation>在本次运行中结束的请求。</translation>
    </message>
    <message>
        <source>When</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Measure, ms</source>
        <translation>指标，ms</translation>
    </message>
    <message>
        <source>n</source>
        <translation>n</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>均值</translation>
    </message>
    <message>
        <source>p50</source>
        <translation>p50</translation>
    </message>
    <message>
        <source>p90</source>
        <translation>p90</translation>
    </message>
    <message>
        <source>p99</source>
        <translation>p99</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>Worst ITL of a request</source>
        <translation>单个请求的最差 ITL</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>End to end</source>
        <translation>端到端</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置项</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>默认值</translation>
    </message>
    <message>
        <source>Condition</source>
        <translation>条件</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>header sha256</source>
        <translation>文件头 SHA-256</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>%1 cores</source>
        <translation>%1 核</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>System</source>
        <translation>系统</translation>
    </message>
    <message>
        <source>Pitwall</source>
        <translation>Pitwall</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>%1 requests, %2 seconds</source>
        <translation>%1 个请求，%2 秒</translation>
    </message>
    <message>
        <source>Request</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>Arrived</source>
        <translation>到达</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Tokens in.</source>
        <translation>输入 token。</translation>
    </message>
    <message>
        <source>Out</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Tokens out.</source>
        <translation>输出 token。</translation>
    </message>
    <message>
        <source>Queue ms</source>
        <translation>排队 ms</translation>
    </message>
    <message>
        <source>Arrival to first step.</source>
        <translation>从到达到第一步。</translation>
    </message>
    <message>
        <source>TTFT ms</source>
        <translation>TTFT ms</translation>
    </message>
    <message>
        <source>Arrival to first token.</source>
        <translation>从到达到首个 token。</translation>
    </message>
    <message>
        <source>TPOT ms</source>
        <translation>TPOT ms</translation>
    </message>
    <message>
        <source>Per token after the first.</source>
        <translation>首个之后每个 token。</translation>
    </message>
    <message>
        <source>Worst ITL ms</source>
        <translation>最差 ITL ms</translation>
    </message>
    <message>
        <source>Longest gap between two tokens.</source>
        <translation>相邻两个 token 的最长间隔。</translation>
    </message>
    <message>
        <source>Preempted</source>
        <translation>被抢占</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>MMM d</source>
        <comment>date</comment>
        <translation>M月d日</translation>
    </message>
    <message>
        <source>the tail: fewer than 100 samples</source>
        <translation>尾部：不足 100 个样本</translation>
    </message>
    <message>
        <source>a real device: step times are computed</source>
        <translation>真实设备：步时为计算值</translation>
    </message>
    <message>
        <source>other lengths, rates and bursts</source>
        <translation>其他长度、速率和突发</translation>
    </message>
    <message>
        <source>quality of the replies</source>
        <translation>回复质量</translation>
    </message>
    <message>
        <source>serve: a serving engine; bench: a load test; simulate: in the simulator; check: a self-check; imported: measured by another tool.</source>
        <translation>serve：引擎服务；bench：压测；simulate：在模拟器中；check：自检；imported：由其他工具测得。</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Not tested</source>
        <translation>未测试</translation>
    </message>
    <message>
        <source>%1, imported</source>
        <translation>%1，已导入</translation>
    </message>
    <message>
        <source>Imported</source>
        <translation>导入时间</translation>
    </message>
    <message>
        <source>serve</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>bench</source>
        <translation>压测</translation>
    </message>
    <message>
        <source>simulate</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>check</source>
        <translation>自检</translation>
    </message>
    <message>
        <source>imported</source>
        <translation>已导入</translation>
    </message>
    <message>
        <source>simulated, imported</source>
        <translation>模拟，已导入</translation>
    </message>
    <message>
        <source>simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>ITL, every chunk (vLLM)</source>
        <translation>ITL，每个数据块（vLLM）</translation>
    </message>
    <message>
        <source>ITL, every token</source>
        <translation>ITL，每个 token</translation>
    </message>
</context>
<context>
    <name>RunVerdict</name>
    <message>
        <source>1 request</source>
        <translation>1 个请求</translation>
    </message>
    <message>
        <source>%1 requests</source>
        <translation>%1 个请求</translation>
    </message>
    <message>
        <source>No request ended in this run</source>
        <translation>本次运行没有请求结束</translation>
    </message>
    <message>
        <source>%1 of %2 failed</source>
        <translation>%2中 %1 个失败</translation>
    </message>
    <message>
        <source>%1, all stopped by the client</source>
        <translation>%1，全部由客户端停止</translation>
    </message>
    <message>
        <source>%1 ended well</source>
        <translation>%1正常结束</translation>
    </message>
    <message>
        <source> at %1</source>
        <translation>，速度 %1</translation>
    </message>
    <message>
        <source>%1 tok/s</source>
        <translation>%1 token/s</translation>
    </message>
    <message>
        <source>; the worst gap between tokens was %1</source>
        <translation>；token 间最差间隔 %1</translation>
    </message>
    <message>
        <source>%1 more were stopped by the client.</source>
        <translation>另有 %1 个由客户端停止。</translation>
    </message>
    <message>
        <source>Half had their first token within %1, 99 % within %2.</source>
        <translation>半数在 %1 内拿到首个 token，99 % 在 %2 内。</translation>
    </message>
    <message>
        <source>Half had their first token within %1, all within %2.</source>
        <translation>半数在 %1 内拿到首个 token，全部在 %2 内。</translation>
    </message>
    <message>
        <source>Each further token took %1 (p50).</source>
        <translation>之后每个 token 耗时 %1（p50）。</translation>
    </message>
    <message>
        <source>%1 prompt tokens in, %2 tokens out, %3 preemptions.</source>
        <translation>输入 %1 个提示词 token，输出 %2 个 token，抢占 %3 次。</translation>
    </message>
    <message>
        <source>recording</source>
        <translation>记录中</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>cut off</source>
        <translation>被中断</translation>
    </message>
    <message>
        <source>Recording; no request has ended yet</source>
        <translation>记录中，尚无请求结束</translation>
    </message>
    <message>
        <source>Recording; %1 ended so far</source>
        <translation>记录中，%1已结束</translation>
    </message>
    <message>
        <source>The figures come when the engine stops.</source>
        <translation>引擎停止后给出数字。</translation>
    </message>
    <message>
        <source>The run failed</source>
        <translation>运行失败</translation>
    </message>
    <message>
        <source>The run failed: %1</source>
        <translation>运行失败：%1</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>None had its first token.</source>
        <translation>没有请求得到首个 token。</translation>
    </message>
    <message>
        <source>Not recorded at present; no request had ended before</source>
        <translation>目前未记录，此前没有请求结束</translation>
    </message>
    <message>
        <source>Not recorded at present; %1 had ended before</source>
        <translation>目前未记录，此前%1已结束</translation>
    </message>
    <message>
        <source>The run cannot be written down: it is kept in memory until the disk takes it.</source>
        <translation>此运行无法写入磁盘：内容保留在内存中，待磁盘可写时补写。</translation>
    </message>
    <message>
        <source>not recorded</source>
        <translation>未记录</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>Cancelled before its end: %1</source>
        <translation>结束前被取消：%1</translation>
    </message>
</context>
<context>
    <name>StoreDamage</name>
    <message>
        <source>The store is damaged, and nothing in it can be read. It is kept as %1; a new one is begun.</source>
        <translation>存储已损坏，其中没有可读的内容。它保留为 %1；已新建一个存储。</translation>
    </message>
    <message>
        <source>The store is damaged. It is kept as %1. %2 rows of it can be read and are in a new store: runs %3, checklists %4, chats %5.</source>
        <translation>存储已损坏，保留为 %1。其中 %2 行可以读出，已放入新的存储：运行 %3，清单 %4，对话 %5。</translation>
    </message>
</context>
<context>
    <name>TuneWords</name>
    <message>
        <source>Throughput</source>
        <translation>吞吐</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>token/s</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>per s</source>
        <translation>每秒</translation>
    </message>
    <message>
        <source>TTFT p50</source>
        <translation>TTFT p50</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>TTFT p99</source>
        <translation>TTFT p99</translation>
    </message>
    <message>
        <source>TPOT p50</source>
        <translation>TPOT p50</translation>
    </message>
    <message>
        <source>TPOT p99</source>
        <translation>TPOT p99</translation>
    </message>
    <message>
        <source>E2E p50</source>
        <translation>E2E p50</translation>
    </message>
    <message>
        <source>E2E p99</source>
        <translation>E2E p99</translation>
    </message>
    <message>
        <source>KV at the peak</source>
        <translation>KV 峰值</translation>
    </message>
    <message>
        <source>MiB</source>
        <translation>MiB</translation>
    </message>
    <message>
        <source>Running, mean</source>
        <translation>平均运行数</translation>
    </message>
    <message>
        <source>Prefix hits</source>
        <translation>前缀命中</translation>
    </message>
    <message>
        <source>% of prompt tokens</source>
        <translation>% 提示词 token</translation>
    </message>
    <message>
        <source>Prefix hits, %</source>
        <translation>前缀命中，%</translation>
    </message>
    <message>
        <source>under 0.1 %</source>
        <translation>不足 0.1 %</translation>
    </message>
    <message>
        <source>%1, one run</source>
        <translation>%1，仅一次运行</translation>
    </message>
    <message>
        <source>%1 exact</source>
        <translation>%1 精确</translation>
    </message>
    <message>
        <source>no change</source>
        <translation>无变化</translation>
    </message>
    <message>
        <source>%1: no change</source>
        <translation>%1：无变化</translation>
    </message>
    <message>
        <source>Item %1: %2</source>
        <translation>条目 %1：%2</translation>
    </message>
    <message>
        <source>simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>✕ failed</source>
        <translation>✕ 失败</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>✓ keep</source>
        <translation>✓ 保留</translation>
    </message>
    <message>
        <source>△ revert</source>
        <translation>△ 回退</translation>
    </message>
    <message>
        <source>unclear</source>
        <translation>不明确</translation>
    </message>
    <message>
        <source>to decide</source>
        <translation>待定</translation>
    </message>
    <message>
        <source>planned</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>It is being measured.</source>
        <translation>正在测量。</translation>
    </message>
    <message>
        <source>Not measured yet.</source>
        <translation>尚未测量。</translation>
    </message>
    <message>
        <source>Not measured yet. Expected: %1.</source>
        <translation>尚未测量。预期：%1。</translation>
    </message>
    <message>
        <source>Better: %1.</source>
        <translation>变好：%1。</translation>
    </message>
    <message>
        <source>Worse: %1.</source>
        <translation>变差：%1。</translation>
    </message>
    <message>
        <source>No change that these repeats can tell: %1.</source>
        <translation>这几次重复看不出变化：%1。</translation>
    </message>
    <message>
        <source>%1; one pair gives no interval.</source>
        <translation>%1；只有一对，得不出区间。</translation>
    </message>
    <message>
        <source>It breaks the limit: %1 is above %2.</source>
        <translation>超出限制：%1 高于 %2。</translation>
    </message>
    <message>
        <source>Mixed: it changes %1 variables, whose effects cannot be told apart.</source>
        <translation>混合：它改了 %1 个变量，效果无法分开。</translation>
    </message>
    <message>
        <source>Queue p50</source>
        <translation>排队 p50</translation>
    </message>
    <message>
        <source>Longest ITL</source>
        <translation>最长 ITL</translation>
    </message>
    <message>
        <source>Goodput</source>
        <translation>达标率</translation>
    </message>
    <message>
        <source>% of requests</source>
        <translation>% 请求</translation>
    </message>
    <message>
        <source>Preemptions</source>
        <translation>抢占</translation>
    </message>
    <message>
        <source>Not ended well</source>
        <translation>未正常结束</translation>
    </message>
    <message>
        <source>measure again</source>
        <translation>需重新测量</translation>
    </message>
    <message>
        <source>It was measured on another base, or its runs are gone. Run it again.</source>
        <translation>它是在另一个基线上测量的，或其运行已不在。请重新运行。</translation>
    </message>
    <message>
        <source>You decided it. On its present base it is not measured.</source>
        <translation>由您决定。在当前基线上尚未测量。</translation>
    </message>
    <message>
        <source>ITL p99 per token</source>
        <translation>每 token ITL p99</translation>
    </message>
    <message>
        <source>ITL p99 per chunk (vLLM)</source>
        <translation>每数据块 ITL p99（vLLM）</translation>
    </message>
    <message>
        <source>△ Kept before, left out until it is measured again: %1</source>
        <translation>△ 曾保留，重新测量前不列入：%1</translation>
    </message>
</context>
<context>
    <name>Turns</name>
    <message>
        <source>No model is serving</source>
        <translation>没有模型在服务</translation>
    </message>
    <message>
        <source>Start one on Serve, then try again. The message is kept</source>
        <translation>在“服务”页启动一个模型后重试，消息已保留</translation>
    </message>
</context>
<context>
    <name>engine</name>
    <message>
        <source>Model to serve: a .gguf file, a folder with config.json and safetensors, or the name of a fetched model.</source>
        <translation>要服务的模型：.gguf 文件、含 config.json 和 safetensors 的文件夹，或已下载模型的名称。</translation>
    </message>
    <message>
        <source>Name by which clients ask for the model; when empty, the file&apos;s name without .gguf, or the folder&apos;s.</source>
        <translation>客户端请求模型时使用的名称；留空则取去掉 .gguf 的文件名或文件夹名。</translation>
    </message>
    <message>
        <source>Longest sequence, prompt and reply together, in tokens; auto takes the model&apos;s context length, less where memory does not hold it.</source>
        <translation>最长序列，提示词与回复合计，单位 token；auto 取模型的上下文长度，内存放不下时取更小的值。</translation>
    </message>
    <message>
        <source>Where the model runs: the processor, or an NVIDIA GPU.</source>
        <translation>模型在哪里运行：处理器，或 NVIDIA GPU。</translation>
    </message>
    <message>
        <source>Arithmetic of the model. CPU: float32 gives the same bits whatever else runs in the batch, every other choice is the fast mode. GPU: float16 rounds eight times finer than bfloat16, holds and counts what is beyond 65504, and refuses checkpoints with larger weights; auto is float16, or bfloat16 for those checkpoints; float32 is not there.</source>
        <translation>模型的运算精度。CPU：float32 无论同批有什么都得到逐位相同的结果，其他选项均为快速模式。GPU：float16 的舍入比 bfloat16 精细 8 倍，超过 65504 的值截在该处并计数，拒绝权重更大的检查点；auto 为 float16，对这类检查点则为 bfloat16；没有 float32。</translation>
    </message>
    <message>
        <source>Rotary frequencies: exact, or rounded to bfloat16 as a PyTorch module cast to bfloat16 holds them; auto rounds only with dtype float32 on a checkpoint whose config.json says bfloat16 or quantised linears, to compare with such a module.</source>
        <translation>旋转位置编码的频率：精确值，或舍入到 bfloat16，与转成 bfloat16 的 PyTorch 模块一致；auto 仅在 dtype 为 float32 且检查点的 config.json 标明 bfloat16 或量化线性层时舍入，以便与此类模块比较。</translation>
    </message>
    <message>
        <source>CPU threads that compute; auto takes every core this process may use.</source>
        <translation>参与计算的 CPU 线程数；auto 使用本进程可用的全部核心。</translation>
    </message>
    <message>
        <source>Number format of the KV cache; 16-bit formats hold twice the tokens of float32 in the same bytes, fp8_e4m3 (scales of the checkpoint) and int8 (a scale for each token and head) about four times.</source>
        <translation>KV 缓存的数值格式；同样字节下，16 位格式容纳的 token 是 float32 的两倍，fp8_e4m3（用检查点的缩放因子）和 int8（每个 token 和头一个缩放因子）约为四倍。</translation>
    </message>
    <message>
        <source>Bytes for the KV cache, such as 512MiB; auto takes what max-num-seqs sequences need, within the memory limit.</source>
        <translation>KV 缓存的字节数，如 512MiB；auto 在内存上限内取 max-num-seqs 路序列所需的量。</translation>
    </message>
    <message>
        <source>Bytes that weights, KV cache and working memory may take together, such as 4GiB; auto leaves the bound to the device.</source>
        <translation>权重、KV 缓存与工作内存合计可占的字节数，如 4GiB；auto 由设备决定上限。</translation>
    </message>
    <message>
        <source>Tokens in one KV block; smaller blocks waste less at a sequence&apos;s end, larger ones need shorter block tables.</source>
        <translation>一个 KV 块的 token 数；块小则序列末尾浪费少，块大则块表更短。</translation>
    </message>
    <message>
        <source>Keep the KV of prompts and replies while memory allows, so that a prompt that begins the same is not computed again.</source>
        <translation>在内存允许时保留提示词与回复的 KV，开头相同的提示词便不再重复计算。</translation>
    </message>
    <message>
        <source>Share of the KV blocks, from 0 to 0.9, that new requests leave to cached prefixes; running ones may take it.</source>
        <translation>新请求为已缓存前缀留出的 KV 块份额，0 到 0.9；运行中的请求可以占用。</translation>
    </message>
    <message>
        <source>Host memory to which preempted requests&apos; KV may be moved instead of being computed again, such as 2GiB; auto takes none.</source>
        <translation>被抢占请求的 KV 可换出到的主机内存，免去重新计算，如 2GiB；auto 为不用。</translation>
    </message>
    <message>
        <source>Sequences that run at once; more raise throughput and the time between tokens of each. While serving it can be lowered, and raised again up to the value at the start.</source>
        <translation>同时运行的序列数；越多吞吐越高，每路 token 的间隔也越长。服务中可以调低，也可再调高，但不超过启动时的值。</translation>
    </message>
    <message>
        <source>Tokens computed in one step; fewer keep replies smooth while long prompts come in, more finish prompts sooner. While serving, up to the value at the start.</source>
        <translation>一步计算的 token 数；少则长提示词进来时回复仍平稳，多则提示词更快算完。服务中不超过启动时的值。</translation>
    </message>
    <message>
        <source>Who goes first: in order of arrival; by the request&apos;s priority, lower first; equal shares of computed tokens for each user; or prompts of similar length together.</source>
        <translation>谁先运行：按到达顺序；按请求的优先级，数值小的在前；按用户平分计算的 token；或让长度相近的提示词在一起。</translation>
    </message>
    <message>
        <source>Continuous lets requests join and leave at each step; static starts and ends a batch together, padded to its longest, to measure what that costs.</source>
        <translation>continuous 让请求在每一步加入和离开；static 整批同时开始和结束，按最长的补齐，用来测量其代价。</translation>
    </message>
    <message>
        <source>What happens to the KV of a request that gives way: computed again later, moved to the swap space, or whichever is estimated to cost less.</source>
        <translation>请求让路时其 KV 如何处理：之后重新计算，移到交换空间，或取估计代价较小者。</translation>
    </message>
    <message>
        <source>Prompts above this many tokens are long and get at most so many tokens of a step; 0 is off.</source>
        <translation>超过此 token 数的提示词视为长提示词，每步最多得到这么多 token；0 为关闭。</translation>
    </message>
    <message>
        <source>Long prompts that are read at the same time; 0 is any number.</source>
        <translation>同时读取的长提示词数；0 为不限。</translation>
    </message>
    <message>
        <source>Share of a step&apos;s tokens, above 0 to 1, that long prompts may take together.</source>
        <translation>长提示词合计可占一步 token 的份额，大于 0，至多 1。</translation>
    </message>
    <message>
        <source>Share of the KV blocks, above 0 to 1, that requests with long prompts may hold together.</source>
        <translation>长提示词请求合计可占 KV 块的份额，大于 0，至多 1。</translation>
    </message>
    <message>
        <source>Time between tokens to hold: prompts are read in pieces so small that a step, as measured, stays within; 0 is off.</source>
        <translation>要守住的 token 间隔：把提示词切得足够小再读取，使实测步时不超出；0 为关闭。</translation>
    </message>
    <message>
        <source>Whoever waits longer goes before every policy, the oldest first, so that nobody waits for ever.</source>
        <translation>等待超过此时间的请求优先于任何策略，最早的在前，避免无限等待。</translation>
    </message>
    <message>
        <source>Address to listen on; 127.0.0.1 is reached from this machine alone, 0.0.0.0 from the network.</source>
        <translation>监听地址；127.0.0.1 只有本机能访问，0.0.0.0 可从网络访问。</translation>
    </message>
    <message>
        <source>TCP port to listen on; 0 takes any free one.</source>
        <translation>监听的 TCP 端口；0 取任意空闲端口。</translation>
    </message>
    <message>
        <source>Host names, separated by commas, under which requests are answered beside this machine&apos;s loopback names.</source>
        <translation>除本机回环名称外还应答哪些主机名，用逗号分隔。</translation>
    </message>
    <message>
        <source>Origins of web pages, separated by commas, that may send requests, such as https://chat.example.org.</source>
        <translation>允许发送请求的网页来源，用逗号分隔，如 https://chat.example.org。</translation>
    </message>
    <message>
        <source>Keys, separated by commas, of which clients must send one as Authorization: Bearer KEY; /health and /ping answer without.</source>
        <translation>密钥，用逗号分隔，客户端须以 Authorization: Bearer KEY 发送其中之一；/health 和 /ping 无需密钥。</translation>
    </message>
    <message>
        <source>File with one key a line, KEY or NAME:KEY; the name stands in records and metrics and is who shares under the fair policy.</source>
        <translation>每行一个密钥的文件，KEY 或 NAME:KEY；名称会出现在记录和指标中，也是 fair 策略下的分配对象。</translation>
    </message>
    <message>
        <source>Listen beyond this machine although there is no API key: whoever reaches the port may use the model and change live settings.</source>
        <translation>没有 API 密钥也监听本机以外：能访问端口的人都可以使用模型并更改实时设置。</translation>
    </message>
    <message>
        <source>PEM file with the certificate and its chain: the server then speaks HTTPS, TLS 1.2 or newer.</source>
        <translation>含证书及证书链的 PEM 文件：设置后服务器使用 HTTPS，TLS 1.2 或更高。</translation>
    </message>
    <message>
        <source>PEM file with the certificate&apos;s private key; when empty, it is in ssl-certfile.</source>
        <translation>含证书私钥的 PEM 文件；留空则私钥在 ssl-certfile 中。</translation>
    </message>
    <message>
        <source>Requests that may wait for a place; more are refused with 429 and the time after which to try again; 0 is any number.</source>
        <translation>可以排队的请求数；更多的以 429 拒绝，并告知多久后重试；0 为不限。</translation>
    </message>
    <message>
        <source>Connections that are open at once; more are turned away with 503.</source>
        <translation>同时打开的连接数；更多的以 503 拒绝。</translation>
    </message>
    <message>
        <source>Longest body of a request, such as 8MiB; a longer one is refused before it is read.</source>
        <translation>请求正文的最大长度，如 8MiB；更长的在读取前拒绝。</translation>
    </message>
    <message>
        <source>Longest header of a request, such as 16KiB.</source>
        <translation>请求头的最大长度，如 16KiB。</translation>
    </message>
    <message>
        <source>Messages that one chat request may hold.</source>
        <translation>一个对话请求可含的消息数。</translation>
    </message>
    <message>
        <source>Levels to which the JSON of a request may be nested.</source>
        <translation>请求 JSON 允许的嵌套层数。</translation>
    </message>
    <message>
        <source>Seconds that running requests get to end after SIGTERM or SIGINT; what still runs then is cut off with an error.</source>
        <translation>收到 SIGTERM 或 SIGINT 后留给运行中请求结束的秒数；届时仍在运行的以错误中断。</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>threads</source>
        <translation>线程</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>sequences</source>
        <translation>路序列</translation>
    </message>
    <message>
        <source>prompts</source>
        <translation>个提示词</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>个请求</translation>
    </message>
    <message>
        <source>connections</source>
        <translation>个连接</translation>
    </message>
    <message>
        <source>messages</source>
        <translation>条消息</translation>
    </message>
    <message>
        <source>levels</source>
        <translation>层</translation>
    </message>
    <message>
        <source>The article&apos;s four steps</source>
        <translation>文章的四步</translation>
    </message>
    <message>
        <source>throughput first</source>
        <translation>吞吐优先</translation>
    </message>
    <message>
        <source>The source article, sections 3.2 to 3.6: eight A100 of 80 GB, vLLM 0.5.4, Qwen2.5-72B-Instruct with AWQ 4-bit weights, 64 requests that share 2K tokens; one variable at a time, in the order framework, memory, repeated work, batch</source>
        <translation>来源文章 3.2 至 3.6 节：8 张 80 GB 的 A100，vLLM 0.5.4，Qwen2.5-72B-Instruct，AWQ 4 位权重，64 个请求共享 2K token；一次只改一个变量，顺序为框架、显存、重复计算、批大小</translation>
    </message>
    <message>
        <source>9 → 276 tok/s of the article is against batches of one; it gives no throughput after its third step. A batch of one has nothing to schedule: the first step is two variables here, and mixed. Compare ratios, not rates (profiles/recipes/article.json).</source>
        <translation>文章的 9 → 276 token/s 以批大小 1 为基线；第三步之后没有给出吞吐。批大小为 1 时没有可调度的：这里第一步含两个变量，属于混合。请比较倍数，而不是绝对速率（profiles/recipes/article.json）。</translation>
    </message>
    <message>
        <source>Framework first</source>
        <translation>先用足框架</translation>
    </message>
    <message>
        <source>Several requests share each read of the weights, and one that ends makes room for the next at once.</source>
        <translation>多个请求共享每次权重读取，一个结束便立即为下一个腾出位置。</translation>
    </message>
    <message>
        <source>three times the tok/s, TTFT may rise (article 3.2: 9 → 28 tok/s)</source>
        <translation>token/s 约三倍，TTFT 可能上升（文章 3.2：9 → 28 token/s）</translation>
    </message>
    <message>
        <source>Save memory</source>
        <translation>省显存</translation>
    </message>
    <message>
        <source>KV of 8 bits takes half the bytes: as many requests again fit, which a later item uses.</source>
        <translation>8 位 KV 只占一半字节：能再容下同样多的请求，留给后面的条目利用。</translation>
    </message>
    <message>
        <source>half the KV, throughput about the same (article 3.3)</source>
        <translation>KV 减半，吞吐大致不变（文章 3.3）</translation>
    </message>
    <message>
        <source>Remove repeated work</source>
        <translation>去掉重复计算</translation>
    </message>
    <message>
        <source>All requests carry the same 2,048 tokens: they are computed once.</source>
        <translation>所有请求都带同样的 2,048 token：只计算一次。</translation>
    </message>
    <message>
        <source>TTFT less than half (article 3.4: 2.1 → 0.9 s)</source>
        <translation>TTFT 降到一半以下（文章 3.4：2.1 → 0.9 s）</translation>
    </message>
    <message>
        <source>Batch last</source>
        <translation>最后调批大小</translation>
    </message>
    <message>
        <source>A step mostly waits for the weights: more sequences share each read until bandwidth or KV is full.</source>
        <translation>一步大多在等权重读取：更多序列共享每次读取，直到带宽或 KV 用满。</translation>
    </message>
    <message>
        <source>most of the gain, TPOT grows little (article 3.5: 276 tok/s at 24)</source>
        <translation>收益的大头，TPOT 增长不多（文章 3.5：24 路时 276 token/s）</translation>
    </message>
    <message>
        <source>Latency first</source>
        <translation>延迟优先</translation>
    </message>
    <message>
        <source>latency first</source>
        <translation>延迟优先</translation>
    </message>
    <message>
        <source>The source article, section 1.1 (internal tools and copilots: latency before throughput) and section 4.2 (gaps of 300 ms when a long request comes in: limit its share of a batch, group by length); the values to try are ours</source>
        <translation>来源文章 1.1 节（内部工具和 Copilot：延迟先于吞吐）与 4.2 节（长请求进来时出现 300 ms 尖峰：限制其批内比例，按长度分组）；试用的取值由我们选定</translation>
    </message>
    <message>
        <source>Each item may cost throughput or TTFT of the long requests; both stand beside the gaps.</source>
        <translation>每个条目都可能牺牲吞吐或长请求的 TTFT；两者都列在间隔旁边。</translation>
    </message>
    <message>
        <source>Smaller steps</source>
        <translation>更小的步</translation>
    </message>
    <message>
        <source>A step with fewer prompt tokens ends sooner, and so does the gap of everybody in it.</source>
        <translation>一步里提示词 token 少则结束得早，同批所有流的间隔也随之缩短。</translation>
    </message>
    <message>
        <source>shorter gaps, TTFT of long prompts rises</source>
        <translation>间隔变短，长提示词的 TTFT 上升</translation>
    </message>
    <message>
        <source>A target for gaps</source>
        <translation>给间隔定目标</translation>
    </message>
    <message>
        <source>The scheduler fits prompt tokens to the time that is left of the target.</source>
        <translation>调度器按目标剩余的时间安排提示词 token。</translation>
    </message>
    <message>
        <source>p99 near the target</source>
        <translation>p99 接近目标</translation>
    </message>
    <message>
        <source>Long prompts in small pieces</source>
        <translation>长提示词切小块</translation>
    </message>
    <message>
        <source>A bound on each prompt&apos;s part of a step leaves the rest of it to the others.</source>
        <translation>限制每个提示词在一步中的份额，其余留给别人。</translation>
    </message>
    <message>
        <source>shorter gaps while long prompts come in</source>
        <translation>长提示词进来时间隔更短</translation>
    </message>
    <message>
        <source>Group by length</source>
        <translation>按长度分组</translation>
    </message>
    <message>
        <source>Requests of like length share their batch: short ones do not wait for long ones.</source>
        <translation>长度相近的请求同批：短请求不必等长请求。</translation>
    </message>
    <message>
        <source>lower TTFT for short requests</source>
        <translation>短请求的 TTFT 更低</translation>
    </message>
    <message>
        <source>Memory first</source>
        <translation>显存优先</translation>
    </message>
    <message>
        <source>memory first</source>
        <translation>显存优先</translation>
    </message>
    <message>
        <source>The source article, section 3.3 (FP8 KV is the safest saving) and section 4.1 (against OOM: fewer requests at once, KV of fewer bits, a shorter longest sequence); the values to try are ours</source>
        <translation>来源文章 3.3 节（FP8 KV 是最稳的一步）与 4.1 节（应对 OOM：收紧并发、KV 量化、缩短最大长度）；试用的取值由我们选定</translation>
    </message>
    <message>
        <source>The measure is the most KV that requests held. Weights do not change here: their format is another checkpoint.</source>
        <translation>指标是请求占用 KV 的峰值。这里不动权重：换权重格式就是换检查点。</translation>
    </message>
    <message>
        <source>Keep shared prompts once</source>
        <translation>共享提示词只留一份</translation>
    </message>
    <message>
        <source>Requests behind the same 2,048 tokens can point at the same blocks.</source>
        <translation>开头 2,048 token 相同的请求可以指向同一批块。</translation>
    </message>
    <message>
        <source>less KV, and TTFT falls</source>
        <translation>KV 更少，TTFT 下降</translation>
    </message>
    <message>
        <source>KV of fewer bits</source>
        <translation>更少位数的 KV</translation>
    </message>
    <message>
        <source>8 bits instead of 16 halve each token; check quality beside it.</source>
        <translation>8 位代替 16 位，每个 token 减半；同时要检查质量。</translation>
    </message>
    <message>
        <source>half the KV</source>
        <translation>KV 减半</translation>
    </message>
    <message>
        <source>Fewer at once</source>
        <translation>降低并发</translation>
    </message>
    <message>
        <source>KV grows with the requests that run; TTFT pays for it in the queue.</source>
        <translation>KV 随运行中的请求增长；代价是排队带来的 TTFT。</translation>
    </message>
    <message>
        <source>less KV, less throughput</source>
        <translation>KV 更少，吞吐更低</translation>
    </message>
    <message>
        <source>Throughput first</source>
        <translation>吞吐优先</translation>
    </message>
    <message>
        <source>The source article, section 1.1 (open services: throughput first, latency within a limit), section 3.2 (max_num_seqs and max_num_batched_tokens are set cautiously) and section 3.5; the values to try are ours</source>
        <translation>来源文章 1.1 节（开放服务：吞吐优先，延迟控制在限度内）、3.2 节（max_num_seqs 和 max_num_batched_tokens 的默认值偏保守）与 3.5 节；试用的取值由我们选定</translation>
    </message>
    <message>
        <source>Requests of equal length, all at once. The limit on TPOT keeps throughput from being bought with gaps: an item that breaks it is reverted.</source>
        <translation>等长请求，一次全发。TPOT 的限制防止以间隔换吞吐：超出限制的条目会被回退。</translation>
    </message>
    <message>
        <source>More at once</source>
        <translation>提高并发</translation>
    </message>
    <message>
        <source>A decode step reads all weights whatever the batch: more sequences share each read.</source>
        <translation>无论批大小，解码一步都要读全部权重：更多序列共享每次读取。</translation>
    </message>
    <message>
        <source>tok/s rises until KV or bandwidth is full, TPOT rises with it</source>
        <translation>token/s 上升到 KV 或带宽用满为止，TPOT 随之上升</translation>
    </message>
    <message>
        <source>Half the KV bytes</source>
        <translation>KV 字节减半</translation>
    </message>
    <message>
        <source>Attention over long batches reads KV: half the bytes, half the time of that part.</source>
        <translation>长批次的注意力要读 KV：字节减半，这部分时间也减半。</translation>
    </message>
    <message>
        <source>more tok/s where KV is what a step reads</source>
        <translation>一步主要读 KV 时 token/s 更高</translation>
    </message>
    <message>
        <source>Larger steps</source>
        <translation>更大的步</translation>
    </message>
    <message>
        <source>More prompt tokens a step use the matrix units better.</source>
        <translation>每步更多提示词 token，更能用足矩阵单元。</translation>
    </message>
    <message>
        <source>more tok/s while prompts are computed, longer gaps meanwhile</source>
        <translation>计算提示词时 token/s 更高，期间间隔更长</translation>
    </message>
    <message>
        <source>64 requests behind a system prompt of 2K tokens</source>
        <translation>64 个请求，共用 2K token 的系统提示词</translation>
    </message>
    <message>
        <source>The source article, section 3: 64 requests that all begin with a system prompt of 2K tokens. It states neither what follows the prompt nor how long replies are; 128 tokens of their own and 256 out are ours</source>
        <translation>来源文章第 3 节：64 个请求都以 2K token 的系统提示词开头。文中没有说明其后的内容和回复长度；各自 128 token 输入、256 token 输出由我们选定</translation>
    </message>
    <message>
        <source>Short chats</source>
        <translation>短对话</translation>
    </message>
    <message>
        <source>Mean lengths of ShareGPT conversations: 161 tokens in, 338 out (Kwon et al. 2023, Efficient Memory Management for LLM Serving with PagedAttention, figure 11); the log-normal spread is ours</source>
        <translation>ShareGPT 对话的平均长度：输入 161 token，输出 338 token（Kwon 等 2023，Efficient Memory Management for LLM Serving with PagedAttention，图 11）；对数正态分布由我们选定</translation>
    </message>
    <message>
        <source>Conversations of several turns, each with all that was said before</source>
        <translation>多轮对话，每轮都带之前的全部内容</translation>
    </message>
    <message>
        <source>LMSYS-Chat-1M: 2.0 turns a conversation, 69.5 tokens a prompt, 214.5 a reply on average (Zheng et al. 2024, table 1); the spread, 5 s to read and write, and the end at 8K tokens are ours</source>
        <translation>LMSYS-Chat-1M：平均每个对话 2.0 轮，提示词 69.5 token，回复 214.5 token（Zheng 等 2024，表 1）；分布、5 s 的读写时间和 8K token 的终点由我们选定</translation>
    </message>
    <message>
        <source>Short chats with rare long prompts</source>
        <translation>短对话，偶有长提示词</translation>
    </message>
    <message>
        <source>The source article, section 4.2: TPOT is fine on average and leaps now and then, when a long request comes in; prompts of 6K tokens, one in fifty, among short chats</source>
        <translation>来源文章 4.2 节：平均 TPOT 正常，长请求进来时偶尔飙高；短对话中每五十个有一个 6K token 的提示词</translation>
    </message>
    <message>
        <source>Equal requests, 1024 tokens in and 256 out, all at once</source>
        <translation>等长请求，输入 1024、输出 256 token，一次全发</translation>
    </message>
    <message>
        <source>The work on which decode and prefill of engines are compared on one H200: equal lengths, so that a batch starts and ends together</source>
        <translation>在一张 H200 上比较各引擎解码与预填充所用的负载：长度相等，整批同时开始和结束</translation>
    </message>
    <message>
        <source>Four applications, each with a system prompt of its own</source>
        <translation>四个应用，各有自己的系统提示词</translation>
    </message>
    <message>
        <source>Several applications behind one server, with system prompts of 512 to 4,096 tokens: what one prefix cache must hold at once; questions and replies as in the chat workload. The lengths and shares are ours, chosen to spread over a factor of eight</source>
        <translation>一个服务器后面有几个应用，系统提示词 512 到 4,096 token：一个前缀缓存要同时容纳这些；提问和回复同 chat 负载。长度和份额由我们选定，跨度为八倍</translation>
    </message>
    <message>
        <source>A system prompt of 2K tokens in every request</source>
        <translation>每个请求都带 2K token 的系统提示词</translation>
    </message>
    <message>
        <source>The source article, section 3.4: each request carries a system prompt of 2K tokens; 64 tokens of its own and 64 out, as the project&apos;s prefix-cache mark is measured</source>
        <translation>来源文章 3.4 节：每个请求都带 2K token 的系统提示词；各自 64 token 输入、64 token 输出，与本项目前缀缓存指标的测法一致</translation>
    </message>
    <message>
        <source>Qwen2.5-72B on 8 × A100</source>
        <translation>Qwen2.5-72B，8 × A100</translation>
    </message>
    <message>
        <source>Chat with an 8B model on one H200</source>
        <translation>一张 H200 上的 8B 对话模型</translation>
    </message>
    <message>
        <source>Chat with long documents</source>
        <translation>长文档对话</translation>
    </message>
    <message>
        <source>Four steps from batches of one to full ones</source>
        <translation>从批大小 1 到满批的四步</translation>
    </message>
    <message>
        <source>The source article, section 3: eight A100 of 80 GB, vLLM 0.5.4, Qwen2.5-72B-Instruct, AWQ 4-bit weights, tensor parallel by 8; figures are those of its text, its tables were pictures</source>
        <translation>来源文章第 3 节：8 张 80 GB 的 A100，vLLM 0.5.4，Qwen2.5-72B-Instruct，AWQ 4 位权重，张量并行 8；数字取自正文，文中表格是图片</translation>
    </message>
    <message>
        <source>Batches of one</source>
        <translation>批大小 1</translation>
    </message>
    <message>
        <source>Continuous batching</source>
        <translation>连续批处理</translation>
    </message>
    <message>
        <source>FP8 KV</source>
        <translation>FP8 KV</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>前缀缓存</translation>
    </message>
    <message>
        <source>16 sequences</source>
        <translation>16 路序列</translation>
    </message>
    <message>
        <source>24 sequences</source>
        <translation>24 路序列</translation>
    </message>
    <message>
        <source>32 sequences</source>
        <translation>32 路序列</translation>
    </message>
    <message>
        <source>Absolute rates differ by an order of magnitude: the article&apos;s 9 tokens/s are an eleventh of what eight A100 give a batch of one here. Prompts of 2 s, an engine of that year without captured graphs and its 4-bit kernel explain part of it, the length of its replies, which it does not state, another. Compare ratios, not rates.</source>
        <translation>绝对速率差一个数量级：文章的 9 token/s 是这里 8 张 A100 批大小 1 时的十一分之一。2 s 的提示词、当年没有 CUDA 图的引擎和它的 4 位算子解释了一部分，文中没有说明的回复长度解释了另一部分。请比较倍数，而不是绝对速率。</translation>
    </message>
    <message>
        <source>30 times is against batches of one. Here 24 sequences come to 18 times, 32 to 24: a batch of one already runs nearer to what the memory allows.</source>
        <translation>30 倍是相对批大小 1。这里 24 路序列是 18 倍，32 路是 24 倍：批大小 1 已经更接近显存带宽所能达到的速度。</translation>
    </message>
    <message>
        <source>Step by step: 4.0 times for continuous batching (article 3.1), 1.4 for 12 sequences (1.8), TTFT down to a quarter with the prefix cache (to 0.43), and 1.8 from 12 to 24 sequences.</source>
        <translation>逐步来看：连续批处理 4.0 倍（文章 3.1），12 路序列 1.4 倍（1.8），前缀缓存使 TTFT 降到四分之一（文章到 0.43），12 路到 24 路 1.8 倍。</translation>
    </message>
    <message>
        <source>Step times are those of vLLM on an H200, carried over to these GPUs. Our own engine unpacks 4-bit weights for more than 16 sequences, and would gain less from the last step.</source>
        <translation>步时取自 H200 上的 vLLM，再换算到这些 GPU。我们自己的引擎在超过 16 路序列时会解包 4 位权重，最后一步的收益会更小。</translation>
    </message>
    <message>
        <source>TTFT here is the prompt&apos;s own computation and a wait for those ahead of it in the same step: clients send as many requests at once as the server runs, so there is no queue. The article&apos;s 2.1 s contain queueing, of which its prefix cache saves a smaller share.</source>
        <translation>这里的 TTFT 是提示词自身的计算，加上等待同一步中排在前面的请求：客户端同时发送的请求数与服务器运行数相同，因此没有排队。文章的 2.1 s 含排队，前缀缓存能省下的份额较小。</translation>
    </message>
    <message>
        <source>Memory never limits the number of sequences here: the weights take 5 GB of each GPU, six requests of this length 0.6 GB of KV. The article&apos;s 73 and 62 GB are reservations, which FP8 by itself does not change; it halves what each request needs, and that is what shows here: twice the sequences in the same bytes.</source>
        <translation>这里显存从不限制序列数：权重占每块 GPU 5 GB，六个这样长的请求占 0.6 GB KV。文章的 73 和 62 GB 是预留量，FP8 本身并不改变它；它把每个请求所需减半，这里看到的就是这一点：同样字节容下两倍的序列。</translation>
    </message>
    <message>
        <source>The article changes KV format and number of sequences in one step. The gain in throughput comes from the sequences.</source>
        <translation>文章在一步里同时改了 KV 格式和序列数。吞吐的收益来自序列数。</translation>
    </message>
    <message>
        <source>Reading weights</source>
        <translation>正在读取权重</translation>
    </message>
    <message>
        <source>Asking</source>
        <translation>正在询问</translation>
    </message>
    <message>
        <source>Downloading</source>
        <translation>正在下载</translation>
    </message>
    <message>
        <source>Verifying</source>
        <translation>正在校验</translation>
    </message>
    <message>
        <source>Preparing</source>
        <translation>正在准备</translation>
    </message>
    <message>
        <source>Unpacking</source>
        <translation>正在解包</translation>
    </message>
    <message>
        <source>%1 needs %2 of disk space</source>
        <translation>%1 需要 %2 磁盘空间</translation>
    </message>
    <message>
        <source>%1 needs %2 of disk space, and %3 more while it is fetched</source>
        <translation>%1 需要 %2 磁盘空间，下载期间另需 %3</translation>
    </message>
    <message>
        <source>%1 of %2 is %3; only %4 are free beside other processes&apos; %5</source>
        <translation>%2 的 %1 是 %3；除去其他进程的 %5 只剩 %4</translation>
    </message>
    <message>
        <source>memory-limit is %1, more than the %2 that there are: those hold</source>
        <translation>memory-limit 为 %1，超过现有的 %2：以现有为准</translation>
    </message>
    <message>
        <source>The model was made for %1 tokens; engines refuse longer sequences</source>
        <translation>模型按 %1 token 训练；引擎会拒绝更长的序列</translation>
    </message>
    <message>
        <source>Lengths go up to %1 tokens; only %2 are served</source>
        <translation>长度最大到 %1 token；只服务到 %2</translation>
    </message>
    <message>
        <source>The KV cache holds sequences of %1 tokens, of the model&apos;s %2</source>
        <translation>KV 缓存容得下 %1 token 的序列，模型上限为 %2</translation>
    </message>
    <message>
        <source>The typical request, %1 tokens of prompt and %2 of reply, is longer than the %3 that are served: times are those of a request that is refused</source>
        <translation>典型请求（提示词 %1、回复 %2 token）超过可服务的 %3：这里的时间属于一个会被拒绝的请求</translation>
    </message>
    <message>
        <source>A sequence of %1 tokens needs %2; %3 allocates %4</source>
        <translation>%1 token 的序列需要 %2；%3 分配 %4</translation>
    </message>
    <message>
        <source>Bytes a token count %1 KV heads, not the %2 attention heads: with those it would be %3 times as much</source>
        <translation>每 token 字节按 %1 个 KV 头计，而不是 %2 个注意力头：按后者会是 %3 倍</translation>
    </message>
    <message>
        <source>Each of the %1 heads has its own K and V. With grouped-query attention %2 heads share one: %3 KV heads would take %4 a token instead of %5</source>
        <translation>%1 个头各有自己的 K 和 V。用分组查询注意力时 %2 个头共用一份：%3 个 KV 头每 token 占 %4，而不是 %5</translation>
    </message>
    <message>
        <source>%1 ranks share %2 KV heads: from %3 ranks on each holds one, and bytes a token no longer fall</source>
        <translation>%1 个 rank 分担 %2 个 KV 头：从 %3 个 rank 起每个只有一个头，每 token 字节不再下降</translation>
    </message>
    <message>
        <source>KV in %1 changes replies a little, more where the checkpoint has no KV scales</source>
        <translation>%1 格式的 KV 会让回复略有变化，检查点没有 KV 缩放因子时变化更大</translation>
    </message>
    <message>
        <source>%1 requests are asked for and max-num-seqs is %2: the others wait</source>
        <translation>要求 %1 个请求，而 max-num-seqs 为 %2：其余等待</translation>
    </message>
    <message>
        <source>Packed weights save time while few requests run: steps of many rows unpack them first</source>
        <translation>压缩权重在请求少时省时间：行数多的步会先解包</translation>
    </message>
    <message>
        <source>%1 replicas with a copy of the weights each; requests are shared out among them</source>
        <translation>%1 个副本，各有一份权重；请求在它们之间分配</translation>
    </message>
    <message>
        <source>Context, libraries, graphs and communicator are estimates from published figures</source>
        <translation>CUDA 上下文、库、CUDA 图和通信器按公开数据估计</translation>
    </message>
    <message>
        <source>Embeddings for each layer are counted whole on every rank</source>
        <translation>逐层嵌入在每个 rank 上按完整一份计</translation>
    </message>
    <message>
        <source>Layers that predict further tokens are counted only where they are asked for</source>
        <translation>预测后续 token 的层只在要求时才计入</translation>
    </message>
    <message>
        <source>The audio tower&apos;s weights are not counted</source>
        <translation>未计入音频塔的权重</translation>
    </message>
    <message>
        <source>The vision tower&apos;s weights are not counted: its configuration states no width</source>
        <translation>未计入视觉塔的权重：配置没有给出宽度</translation>
    </message>
    <message>
        <source>The vision tower is estimated at %1 parameters from its width and depth</source>
        <translation>视觉塔按宽度和深度估计为 %1 参数</translation>
    </message>
    <message>
        <source>a smaller pool; other processes keep what they hold</source>
        <translation>KV 池变小；其他进程占用不变</translation>
    </message>
    <message>
        <source>a larger KV pool; activations and logits grow with it</source>
        <translation>KV 池变大；激活和 logits 随之增长</translation>
    </message>
    <message>
        <source>%1 requests wait</source>
        <translation>%1 个请求要等待</translation>
    </message>
    <message>
        <source>longer requests are refused</source>
        <translation>更长的请求会被拒绝</translation>
    </message>
    <message>
        <source>replies change a little; more where the checkpoint has no KV scales</source>
        <translation>回复略有变化；检查点没有 KV 缩放因子时变化更大</translation>
    </message>
    <message>
        <source>%1 more GPUs, and communication in each layer</source>
        <translation>多 %1 块 GPU，每层都有通信</translation>
    </message>
    <message>
        <source>fewer replicas, and communication in each layer</source>
        <translation>副本更少，每层都有通信</translation>
    </message>
    <message>
        <source>another checkpoint, whose quality has to be checked</source>
        <translation>换检查点，质量需要检查</translation>
    </message>
    <message>
        <source>prompts take more steps</source>
        <translation>提示词要用更多步</translation>
    </message>
    <message>
        <source>each decode step is launched kernel by kernel</source>
        <translation>解码每一步逐个算子启动</translation>
    </message>
    <message>
        <source>requests cannot ask for logprobs of their prompts</source>
        <translation>请求无法索取提示词的 logprobs</translation>
    </message>
    <message>
        <source>The chat template has no generation prompt: add_generation_prompt changes nothing, so the model may go on with the user&apos;s message</source>
        <translation>对话模板没有生成提示：add_generation_prompt 不起作用，模型可能接着用户的消息往下写</translation>
    </message>
    <message>
        <source>The KV cache holds sequences of %1 tokens, prompt and reply together, of the model&apos;s %2; raise kv-cache-memory-bytes for longer ones</source>
        <translation>KV 缓存容得下 %1 token 的序列（提示词与回复合计），模型上限为 %2；要更长请调高 kv-cache-memory-bytes</translation>
    </message>
    <message>
        <source>The checkpoint lacks KV scales for %1 of %2 layers: fp8_e4m3 uses 1.0 there, cuts numbers beyond 448, and replies may get worse</source>
        <translation>检查点 %2 层中有 %1 层缺 KV 缩放因子：fp8_e4m3 在这些层用 1.0，截断超过 448 的数，回复可能变差</translation>
    </message>
    <message>
        <source>%1 part %2 of %3</source>
        <translation>%1，第 %2 / %3 部分</translation>
    </message>
    <message>
        <source>The article&apos;s example: 40 layers, 32 heads of 128</source>
        <translation>文章的例子：40 层，32 个 128 维的头</translation>
    </message>
    <message>
        <source>this engine</source>
        <translation>本引擎</translation>
    </message>
    <message>
        <source>2 × %1 layers × %2 KV heads × %3</source>
        <translation>2 × %1 层 × %2 KV 头 × %3</translation>
    </message>
    <message>
        <source>%1 layers × %2 KV heads × %3</source>
        <translation>%1 层 × %2 KV 头 × %3</translation>
    </message>
    <message>
        <source>%1 layers × %2</source>
        <translation>%1 层 × %2</translation>
    </message>
    <message>
        <source>1 more GPU, and communication in each layer</source>
        <translation>多 1 块 GPU，每层都有通信</translation>
    </message>
    <message>
        <source>%1, item %2: %3, repeat %4</source>
        <translation>%1，条目 %2：%3，第 %4 次</translation>
    </message>
    <message>
        <source>simulated %1 × %2</source>
        <translation>模拟 %1 × %2</translation>
    </message>
    <message>
        <source>Allocating the KV cache</source>
        <translation>正在分配 KV 缓存</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Opening the model</source>
        <translation>正在打开模型</translation>
    </message>
    <message>
        <source>Preparing the device</source>
        <translation>正在准备设备</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Scheduling</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>%1 takes the largest batch to capture, not the list %2</source>
        <translation>%1 取要捕获的最大批，而不是列表 %2</translation>
    </message>
    <message>
        <source>Prompt tokens of a step became tokens of a step: replies count too</source>
        <translation>每步提示词 token 变成每步 token：回复也计入</translation>
    </message>
    <message>
        <source>%1 keeps K and V in one format: V&apos;s %2 is not carried over</source>
        <translation>%1 的 K 和 V 用同一格式：V 的 %2 未带过去</translation>
    </message>
    <message>
        <source>%1 is not carried over: give the GPU and the model, and it becomes bytes</source>
        <translation>%1 未带过去：给出 GPU 和模型后即可换算成字节</translation>
    </message>
    <message>
        <source>%1 is not carried over: %2</source>
        <translation>%1 未带过去：%2</translation>
    </message>
    <message>
        <source>it leaves nothing for KV</source>
        <translation>没有给 KV 留下空间</translation>
    </message>
    <message>
        <source>it cannot become bytes without the model&apos;s weights</source>
        <translation>没有模型权重就无法换算成字节</translation>
    </message>
    <message>
        <source>%1 has no flag that says it</source>
        <translation>%1 没有对应的参数</translation>
    </message>
    <message>
        <source>%1 is not written: %2 already says something else</source>
        <translation>%1 未写出：%2 已经另有所指</translation>
    </message>
    <message>
        <source>%1 cannot be told %2 by %3: its default holds</source>
        <translation>%1 无法用 %3 设定 %2：沿用其默认值</translation>
    </message>
    <message>
        <source>%1 takes whole %2: %3 became %4</source>
        <translation>%1 只取整数个 %2：%3 变为 %4</translation>
    </message>
    <message>
        <source>%1 is for all slots together: %2 slots of %3 tokens each</source>
        <translation>%1 是所有槽位合计：%2 个槽位，每个 %3 token</translation>
    </message>
    <message>
        <source>%1 is for all slots together: %2 of %3 tokens each</source>
        <translation>%1 是所有槽位合计：%2 个，每个 %3 token</translation>
    </message>
    <message>
        <source>%1 has no flag that turns %2 %3</source>
        <translation>%1 没有参数能设置 %3：%2</translation>
    </message>
    <message>
        <source>%1 has no counterpart of %2 (%3)</source>
        <translation>%1 没有与 %2 对应的项（%3）</translation>
    </message>
    <message>
        <source>%1: %2 has no word for it</source>
        <translation>%1：%2 没有对应的说法</translation>
    </message>
    <message>
        <source>%1 is the default of %2</source>
        <translation>%1 是 %2 的默认值</translation>
    </message>
    <message>
        <source>Image %1: %2</source>
        <translation>镜像 %1：%2</translation>
    </message>
    <message>
        <source>Before `docker compose up`: put %1 and, for gated models, %2 into the environment or a file .env</source>
        <translation>在 `docker compose up` 之前：把 %1（受限模型还要 %2）放进环境变量或 .env 文件</translation>
    </message>
    <message>
        <source>Before `kubectl apply`: kubectl create secret generic %1 --from-file=api-key=FILE, and --from-file=hub-token=FILE for gated models</source>
        <translation>在 `kubectl apply` 之前：kubectl create secret generic %1 --from-file=api-key=FILE，受限模型还要 --from-file=hub-token=FILE</translation>
    </message>
    <message>
        <source>Keep in the environment, they mean the same to every engine: %1</source>
        <translation>保留在环境变量中，对各引擎含义相同：%1</translation>
    </message>
    <message>
        <source>From general knowledge, not read at %1: %2</source>
        <translation>来自一般知识，未在 %1 版本核对：%2</translation>
    </message>
    <message>
        <source>%1 also reads %2; give that file as --config to have it read</source>
        <translation>%1 还会读取 %2；用 --config 给出该文件即可读入</translation>
    </message>
    <message>
        <source>a file</source>
        <translation>一个文件</translation>
    </message>
    <message>
        <source>%1 is a flag of %2; here it is %3</source>
        <translation>%1 是 %2 的参数；这里对应 %3</translation>
    </message>
    <message>
        <source>%1 is given more than once; the last, %2, holds</source>
        <translation>%1 给了不止一次；以最后的 %2 为准</translation>
    </message>
    <message>
        <source>Read as flags of %1</source>
        <translation>按 %1 的参数读取</translation>
    </message>
    <message>
        <source>Read as a configuration of %1</source>
        <translation>按 %1 的配置读取</translation>
    </message>
    <message>
        <source>%1 is written with a dash of print; it was read as --</source>
        <translation>%1 写的是印刷破折号；按 -- 读取</translation>
    </message>
    <message>
        <source>name for clients</source>
        <translation>供客户端使用的名称</translation>
    </message>
    <message>
        <source>longest sequence</source>
        <translation>最长序列</translation>
    </message>
    <message>
        <source>longest prompt</source>
        <translation>最长提示词</translation>
    </message>
    <message>
        <source>sequences at once</source>
        <translation>并发序列数</translation>
    </message>
    <message>
        <source>requests that may wait</source>
        <translation>可等待的请求数</translation>
    </message>
    <message>
        <source>tokens of a step</source>
        <translation>每步 token</translation>
    </message>
    <message>
        <source>prompt tokens of a step</source>
        <translation>每步提示词 token</translation>
    </message>
    <message>
        <source>tokens computed at a time</source>
        <translation>一次计算的 token</translation>
    </message>
    <message>
        <source>share of the GPU&apos;s memory for everything</source>
        <translation>全部用途占 GPU 显存的份额</translation>
    </message>
    <message>
        <source>share of the GPU&apos;s memory for weights and KV</source>
        <translation>权重和 KV 占 GPU 显存的份额</translation>
    </message>
    <message>
        <source>share for KV of what is free after loading</source>
        <translation>KV 占加载后空闲的份额</translation>
    </message>
    <message>
        <source>share for KV of what the weights leave</source>
        <translation>KV 占权重之外的份额</translation>
    </message>
    <message>
        <source>GPU memory left free</source>
        <translation>留空的 GPU 显存</translation>
    </message>
    <message>
        <source>memory for everything</source>
        <translation>全部用途的显存</translation>
    </message>
    <message>
        <source>memory for KV</source>
        <translation>KV 的显存</translation>
    </message>
    <message>
        <source>tokens of KV</source>
        <translation>KV token 数</translation>
    </message>
    <message>
        <source>blocks of KV</source>
        <translation>KV 块数</translation>
    </message>
    <message>
        <source>number format of KV</source>
        <translation>KV 的数值格式</translation>
    </message>
    <message>
        <source>number format of V, where it is not K&apos;s</source>
        <translation>V 的数值格式，与 K 不同时</translation>
    </message>
    <message>
        <source>tokens of a KV block</source>
        <translation>一个 KV 块的 token 数</translation>
    </message>
    <message>
        <source>prefix cache</source>
        <translation>前缀缓存</translation>
    </message>
    <message>
        <source>GPUs that share each layer</source>
        <translation>共同承载每一层的 GPU</translation>
    </message>
    <message>
        <source>stages of layers</source>
        <translation>层的级数</translation>
    </message>
    <message>
        <source>replicas</source>
        <translation>副本数</translation>
    </message>
    <message>
        <source>format of the weights</source>
        <translation>权重格式</translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation>运算精度</translation>
    </message>
    <message>
        <source>how tokens are guessed ahead</source>
        <translation>如何预猜 token</translation>
    </message>
    <message>
        <source>model that guesses</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>tokens guessed ahead</source>
        <translation>预猜的 token 数</translation>
    </message>
    <message>
        <source>prompts in pieces</source>
        <translation>提示词分块</translation>
    </message>
    <message>
        <source>prompt tokens from which it is long</source>
        <translation>视为长提示词的 token 数</translation>
    </message>
    <message>
        <source>prompts and replies in one step</source>
        <translation>提示词与回复同一步</translation>
    </message>
    <message>
        <source>host memory for KV</source>
        <translation>KV 的主机内存</translation>
    </message>
    <message>
        <source>host memory for KV, as a multiple</source>
        <translation>KV 的主机内存倍数</translation>
    </message>
    <message>
        <source>weights kept in host memory</source>
        <translation>放在主机内存的权重</translation>
    </message>
    <message>
        <source>layers on the GPU</source>
        <translation>放在 GPU 的层</translation>
    </message>
    <message>
        <source>layers whose experts stay on the CPU</source>
        <translation>专家留在 CPU 的层</translation>
    </message>
    <message>
        <source>KV in host memory</source>
        <translation>KV 放在主机内存</translation>
    </message>
    <message>
        <source>one KV buffer for all sequences</source>
        <translation>所有序列共用一个 KV 缓冲区</translation>
    </message>
    <message>
        <source>who goes first</source>
        <translation>谁先运行</translation>
    </message>
    <message>
        <source>whether a request may be evicted</source>
        <translation>请求可否被逐出</translation>
    </message>
    <message>
        <source>how carefully requests are admitted</source>
        <translation>接纳请求的谨慎程度</translation>
    </message>
    <message>
        <source>what leaves the prefix cache first</source>
        <translation>前缀缓存先逐出什么</translation>
    </message>
    <message>
        <source>share of KV kept free at admission</source>
        <translation>接纳时留空的 KV 份额</translation>
    </message>
    <message>
        <source>waiting to running, from which prompts go first</source>
        <translation>等待与运行之比，超过则提示词优先</translation>
    </message>
    <message>
        <source>steps after which prompts go first</source>
        <translation>多少步后提示词优先</translation>
    </message>
    <message>
        <source>captured steps</source>
        <translation>捕获的步</translation>
    </message>
    <message>
        <source>largest batch captured</source>
        <translation>捕获的最大批</translation>
    </message>
    <message>
        <source>batch sizes captured</source>
        <translation>捕获的批大小</translation>
    </message>
    <message>
        <source>latency or throughput</source>
        <translation>延迟或吞吐</translation>
    </message>
    <message>
        <source>planning beside the running step</source>
        <translation>与运行中的步并行调度</translation>
    </message>
    <message>
        <source>memory given back on request</source>
        <translation>按要求归还显存</translation>
    </message>
    <message>
        <source>seconds until an idle server sleeps</source>
        <translation>空闲服务器休眠前的秒数</translation>
    </message>
    <message>
        <source>address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>port</source>
        <translation>端口</translation>
    </message>
    <message>
        <source>key of clients</source>
        <translation>客户端密钥</translation>
    </message>
    <message>
        <source>Times are those of %1&apos;s kernels: no engine is named</source>
        <translation>时间按 %1 的内核计算：没有指定引擎</translation>
    </message>
    <message>
        <source>Times are those of %1&apos;s kernels: %2&apos;s are not known</source>
        <translation>时间按 %1 的内核计算：%2 的时间未知</translation>
    </message>
    <message>
        <source>%1 loads %2 files alone, and %3 is none: take the model&apos;s</source>
        <translation>%1 只加载 %2 文件，而 %3 不是：请取该模型的这种文件</translation>
    </message>
    <message>
        <source>weights in %1 are not converted: other 4-bit ones such as Q4_K_M take their place</source>
        <translation>%1 权重不会被转换：由 Q4_K_M 等其他 4 位权重代替</translation>
    </message>
    <message>
        <source>No length is stated: the %1 slots share one context, whose tokens %2 says</source>
        <translation>没有给出长度：%1 个槽共用一个上下文，其 token 数由 %2 给出</translation>
    </message>
    <message>
        <source>%1 asks clients for no key: the server becomes open to all who reach it</source>
        <translation>%1 不向客户端要密钥：凡能连上的人都可使用此服务</translation>
    </message>
    <message>
        <source>The key of clients is not repeated: %1 takes it from the variable %2. Set that first: without it the server is open to all who reach it</source>
        <translation>客户端密钥不再写出：%1 从变量 %2 读取。请先设置它，否则凡能连上的人都可使用此服务</translation>
    </message>
    <message>
        <source>Weights and KV of that share leave %1 for activations, graphs and context, which need %2: it runs out of memory</source>
        <translation>这一占比的权重和 KV 只给激活、图和上下文留下 %1，而它们需要 %2：显存会不足</translation>
    </message>
    <message>
        <source>kv-cache-memory-bytes is %1; after everything else %2 are free</source>
        <translation>kv-cache-memory-bytes 是 %1；除去其余各项后空闲 %2</translation>
    </message>
    <message>
        <source>One sequence of %1 tokens needs %2 of KV cache; kv-cache-memory-bytes is %3</source>
        <translation>一条 %1 token 的序列需要 %2 的 KV 缓存；kv-cache-memory-bytes 是 %3</translation>
    </message>
    <message>
        <source>One sequence of %1 tokens needs %2 of KV cache; free for it are %3</source>
        <translation>一条 %1 token 的序列需要 %2 的 KV 缓存；可用的有 %3</translation>
    </message>
    <message>
        <source>This engine does not serve it: %1</source>
        <translation>本引擎不服务它：%1</translation>
    </message>
    <message>
        <source>Cross-attention is counted for the longest input, %1 encoder tokens</source>
        <translation>交叉注意力按最长输入计算，即 %1 个编码器 token</translation>
    </message>
    <message>
        <source>Cross-attention is counted for one image of %1 patches</source>
        <translation>交叉注意力按一幅 %1 个图块的图像计算</translation>
    </message>
    <message>
        <source>Memory by the default of %1, since no engine is named: %2 stands for %3</source>
        <translation>未指定引擎，显存取 %1 的默认值：%2 表示%3</translation>
    </message>
    <message>
        <source>Memory by the default of %1: %2 stands for %3</source>
        <translation>显存取 %1 的默认值：%2 表示%3</translation>
    </message>
    <message>
        <source>In %1 the same number stands for %2</source>
        <translation>在 %1 中，同一数值表示%2</translation>
    </message>
    <message>
        <source>%1, its default, stands for %2</source>
        <translation>默认的 %1 表示%2</translation>
    </message>
    <message>
        <source>%1 stands for %2</source>
        <translation>%1 表示%2</translation>
    </message>
    <message>
        <source>%1 becomes %2: %3</source>
        <translation>%1 变为 %2：%3</translation>
    </message>
    <message>
        <source>Rounded down: %1 less than %2</source>
        <translation>向下取整：比 %2 少 %1</translation>
    </message>
    <message>
        <source>Rounded up: %1 more than %2</source>
        <translation>向上取整：比 %2 多 %1</translation>
    </message>
    <message>
        <source>With the %1 that %2 holds beside KV that is %3 more than the GPU has</source>
        <translation>加上 %2 在 KV 之外占用的 %1，比 GPU 的显存多出 %3</translation>
    </message>
    <message>
        <source>KV takes %1 B a token on each GPU, not %2: the same tokens take %3 instead of %4</source>
        <translation>每块 GPU 上每个 token 的 KV 占 %1 B，而不是 %2：同样多的 token 占 %3，而不是 %4</translation>
    </message>
    <message>
        <source>KV takes %1 B a token on each GPU, not %2: %3 are left for it, %4 of %5 tokens</source>
        <translation>每块 GPU 上每个 token 的 KV 占 %1 B，而不是 %2：留给它的有 %3，即 %5 个 token 中的 %4 个</translation>
    </message>
    <message>
        <source>a share of the GPU&apos;s total, for everything</source>
        <translation>占 GPU 总量的份额，供全部使用</translation>
    </message>
    <message>
        <source>a share of the GPU&apos;s total, for weights and KV alone</source>
        <translation>占 GPU 总量的份额，仅供权重和 KV 使用</translation>
    </message>
    <message>
        <source>a share of what is free after loading, for KV alone</source>
        <translation>占加载后空闲量的份额，仅供 KV 使用</translation>
    </message>
    <message>
        <source>a share of what the weights leave, for KV alone</source>
        <translation>占权重之外余量的份额，仅供 KV 使用</translation>
    </message>
    <message>
        <source>%1: %2 × %3 = %4; less %5 leaves %6 for KV</source>
        <translation>%1：%2 × %3 = %4；减去 %5，给 KV 留下 %6</translation>
    </message>
    <message>
        <source>%1: %2 × %3 = %4; %5 are needed beside KV: it does not start</source>
        <translation>%1：%2 × %3 = %4；KV 之外需要 %5：无法启动</translation>
    </message>
    <message>
        <source>%1: %2 × %3 = %4</source>
        <translation>%1：%2 × %3 = %4</translation>
    </message>
    <message>
        <source>%1; leaves %2 for KV</source>
        <translation>%1；给 KV 留下 %2</translation>
    </message>
    <message>
        <source>%1 tokens of KV = %2</source>
        <translation>%1 个 token 的 KV = %2</translation>
    </message>
    <message>
        <source>%1 blocks of KV = %2</source>
        <translation>%1 个 KV 块 = %2</translation>
    </message>
    <message>
        <source>%1 tokens of KV</source>
        <translation>%1 个 token 的 KV</translation>
    </message>
    <message>
        <source>%1 blocks of KV</source>
        <translation>%1 个 KV 块</translation>
    </message>
    <message>
        <source>%1 of memory for everything</source>
        <translation>供全部使用的 %1 显存</translation>
    </message>
    <message>
        <source>%1 of memory for KV</source>
        <translation>供 KV 使用的 %1 显存</translation>
    </message>
    <message>
        <source>%1 of GPU memory left free</source>
        <translation>GPU 上留空的 %1 显存</translation>
    </message>
    <message>
        <source>%1 cannot be told %2 by %3: its default holds, which takes %4 B a token instead of %5</source>
        <translation>%1 无法用 %3 设置%2：采用其默认值，每个 token 占 %4 B，而不是 %5</translation>
    </message>
    <message>
        <source>%1 became %2: a container is reached from outside it; who may reach the published port is for the host&apos;s or the cluster&apos;s rules</source>
        <translation>%1 变为 %2：容器要从外部访问；谁能访问所发布的端口，由主机或集群的规则决定</translation>
    </message>
    <message>
        <source>Docker Hub tag of SGLang 0.5.17</source>
        <translation>SGLang 0.5.17 在 Docker Hub 上的标签</translation>
    </message>
    <message>
        <source>README.md of text-generation-inference at 3.3.5</source>
        <translation>text-generation-inference 3.3.5 的 README.md</translation>
    </message>
    <message>
        <source>Docker Hub tag of vLLM 0.26.0, the version whose figures profiles/gpus/H200.json holds</source>
        <translation>vLLM 0.26.0 在 Docker Hub 上的标签，即 profiles/gpus/H200.json 中数字所用的版本</translation>
    </message>
    <message>
        <source>The checkpoint asks for KV in %1; it is planned in %2</source>
        <translation>检查点要求 KV 采用 %1；计划按 %2 计算</translation>
    </message>
    <message>
        <source>%1 is gone from %2: %3 takes its place</source>
        <translation>%2 已不再有 %1：由 %3 代替</translation>
    </message>
    <message>
        <source>max-num-seqs %1 is not carried over: %2 has at most %3 slots</source>
        <translation>max-num-seqs %1 未沿用：%2 最多有 %3 个槽位</translation>
    </message>
    <message>
        <source>max-num-seqs %1 is not carried over: %2 takes the KV of all slots at the start, and memory holds %3 of %4 tokens</source>
        <translation>max-num-seqs %1 未沿用：%2 在启动时就占用全部槽位的 KV，而显存可容纳 %3 个，每个 %4 token</translation>
    </message>
    <message>
        <source>%1 serves one name: %2 is not carried over</source>
        <translation>%1 只使用一个名称：%2 未沿用</translation>
    </message>
    <message>
        <source>%1 stands as it is: %2 has a flag of that name</source>
        <translation>%1 保持原样：%2 有同名参数</translation>
    </message>
    <message>
        <source>%1 has no counterpart in %2</source>
        <translation>%1 在 %2 中没有对应的项</translation>
    </message>
    <message>
        <source>%1 is not known of %2; did you mean %3?</source>
        <translation>%2 没有 %1；是否指 %3？</translation>
    </message>
    <message>
        <source>%1 is not known of %2</source>
        <translation>%2 没有 %1</translation>
    </message>
    <message>
        <source>%1 takes no more than %2 of the GPU&apos;s memory</source>
        <translation>%1 最多占用 GPU 显存的 %2</translation>
    </message>
    <message>
        <source>Say again where it runs, docker run had them: %1</source>
        <translation>docker run 自己的选项请在运行处重新给出：%1</translation>
    </message>
    <message>
        <source>Mounted read-only, and has to be there on each host: %1</source>
        <translation>以只读方式挂载，每台主机上都须存在：%1</translation>
    </message>
    <message>
        <source>A Service named %1 sets variables of the engine in other pods of its namespace: give another --name</source>
        <translation>名为 %1 的 Service 会在其命名空间的其他 Pod 中设置引擎的变量：请换一个 --name</translation>
    </message>
    <message>
        <source>No engine is named, and Pitwall runs this model: memory and KV are planned as Pitwall takes them; other engines take other shares</source>
        <translation>未指定引擎，而 Pitwall 能运行此模型：显存和 KV 按 Pitwall 的方式计划；其他引擎取的份额不同</translation>
    </message>
    <message>
        <source>No engine is named, and Pitwall does not store KV in this format: KV is planned as the model needs it</source>
        <translation>未指定引擎，而 Pitwall 不以此格式存储 KV：KV 按模型所需计划</translation>
    </message>
    <message>
        <source>No engine is named, and Pitwall does not run this model: KV is planned as the model needs it</source>
        <translation>未指定引擎，而 Pitwall 不能运行此模型：KV 按模型所需计划</translation>
    </message>
    <message>
        <source>Pitwall serves on one GPU: for %1 of them name another engine</source>
        <translation>Pitwall 在一块 GPU 上服务：要用 %1 块，请指定其他引擎</translation>
    </message>
    <message>
        <source>Rates of this machine were measured at %1; the command floors renews them</source>
        <translation>本机速率测于 %1；命令 floors 可重新测量</translation>
    </message>
    <message>
        <source>Rates of this machine were measured at %1 while it was %2 % busy, so times are less certain; the command floors renews them</source>
        <translation>本机速率测于 %1，当时负载为 %2 %，因此时间较不可靠；命令 floors 可重新测量</translation>
    </message>
    <message>
        <source>The program that recorded it did not close it: it was killed, or could not write</source>
        <translation>记录它的程序没有写完就结束了：被强行终止，或无法写入</translation>
    </message>
    <message>
        <source>Its store was closed before it ended</source>
        <translation>在它结束之前，记录文件已关闭</translation>
    </message>
    <message>
        <source>It was still being recorded when it was exported</source>
        <translation>导出时仍在记录</translation>
    </message>
    <message>
        <source>Its last %1 s could not be written: %2</source>
        <translation>最后 %1 秒未能写入：%2</translation>
    </message>
    <message>
        <source>The disk is full: %1 are free</source>
        <translation>磁盘已满：剩余 %1</translation>
    </message>
    <message>
        <source>The file system is read-only</source>
        <translation>文件系统为只读</translation>
    </message>
    <message>
        <source>%1 more GPUs of further hosts, and a way through each stage</source>
        <translation>多用其他主机的 %1 个 GPU，并逐级经过每个阶段</translation>
    </message>
    <message>
        <source>%1 is %2, and %3 takes %4</source>
        <translation>%1 是 %2，而 %3 只接受%4</translation>
    </message>
    <message>
        <source>multiples of %1</source>
        <translation> %1 的倍数</translation>
    </message>
    <message>
        <source>powers of two</source>
        <translation> 2 的幂</translation>
    </message>
    <message>
        <source>%1 at most</source>
        <translation>不超过 %1 的值</translation>
    </message>
    <message>
        <source>quantization %1 is not carried over: %2 has no such weights, and engines do not make them; take a checkpoint that has</source>
        <translation>quantization %1 未带过去：%2 没有这种权重，引擎也不会自行生成；请换用含有它的检查点</translation>
    </message>
    <message>
        <source>quantization %1 is not carried over: %2 has no such weights, and engines do not make them; %3 has</source>
        <translation>quantization %1 未带过去：%2 没有这种权重，引擎也不会自行生成；%3 有</translation>
    </message>
    <message>
        <source>no request needs them</source>
        <translation>没有请求用到它们</translation>
    </message>
    <message>
        <source>The shared prefix, %1 tokens, is longer than the typical prompt: %2 of them count</source>
        <translation>共享前缀 %1 token 比典型提示词还长：只计其中 %2 个</translation>
    </message>
    <message>
        <source>%1 has no FP8 arithmetic: some engines&apos; attention kernels refuse KV in %2 there</source>
        <translation>%1 没有 FP8 运算：部分引擎的注意力内核在其上拒绝 %2 格式的 KV</translation>
    </message>
    <message>
        <source>KV in nvfp4 takes a GPU with FP4 arithmetic (Blackwell): others refuse it</source>
        <translation>nvfp4 格式的 KV 需要有 FP4 运算的 GPU（Blackwell）：其他 GPU 会拒绝</translation>
    </message>
    <message>
        <source>The file states no KV heads; %1 are what its class has then</source>
        <translation>文件未给出 KV 头数；按其类的默认值取 %1</translation>
    </message>
    <message>
        <source>The file states no length; %1 tokens are what models of its class were made for</source>
        <translation>文件未给出长度；取同类模型的设计长度 %1 token</translation>
    </message>
    <message>
        <source>The model has another head than one of tokens, whose weights are not counted</source>
        <translation>模型的输出头不是 token 的输出头，其权重不计入</translation>
    </message>
    <message>
        <source>a smaller pool</source>
        <translation>更小的 KV 池</translation>
    </message>
    <message>
        <source>The weights take %1 of each GPU, and the limit is %2</source>
        <translation>权重在每块 GPU 上占 %1，而上限是 %2</translation>
    </message>
    <message>
        <source>Weights, activations, graphs and context take %1 of each GPU, and the limit is %2</source>
        <translation>权重、激活、图和上下文在每块 GPU 上占 %1，而上限是 %2</translation>
    </message>
    <message>
        <source>Everything together takes %1 of each GPU, and the limit is %2</source>
        <translation>所有内容在每块 GPU 上共占 %1，而上限是 %2</translation>
    </message>
    <message>
        <source>By the defaults of %1: %2</source>
        <translation>按 %1 的默认值：%2</translation>
    </message>
    <message>
        <source>%1 replicas share the experts, which lie on %2 GPUs, and have a copy of the other weights each; requests are shared out among them</source>
        <translation>%1 个副本共用分布在 %2 个 GPU 上的专家，其余权重各有一份；请求在它们之间分配</translation>
    </message>
    <message>
        <source>%1 is %2 instead of %3: %4 starts with multiples of %5 alone</source>
        <translation>%1 取 %2 而不是 %3：%4 只能以 %5 的整数倍启动</translation>
    </message>
    <message>
        <source>%1 is %2 instead of %3: %4 starts with no less than %5</source>
        <translation>%1 取 %2 而不是 %3：%4 启动时它不得小于 %5</translation>
    </message>
    <message>
        <source>%1 is %2 instead of %3: %4 starts with no more than %5</source>
        <translation>%1 取 %2 而不是 %3：%4 启动时它不得大于 %5</translation>
    </message>
    <message>
        <source>%1 is %2 instead of %3: %4 starts with less than %5</source>
        <translation>%1 取 %2 而不是 %3：%4 启动时它必须小于 %5</translation>
    </message>
    <message>
        <source>max-model-len is %1 instead of %2: %3 starts where KV holds one such sequence, and %4 do not</source>
        <translation>max-model-len 取 %1 而不是 %2：KV 要容得下一个这样的序列 %3 才会启动，而 %4 不够</translation>
    </message>
    <message>
        <source>%1 of KV hold no sequence of %2 tokens, which %3 starts with alone: lower max-model-len</source>
        <translation>%1 的 KV 容不下一个 %2 token 的序列，而 %3 只有容得下才会启动：请调低 max-model-len</translation>
    </message>
    <message>
        <source>%1 stays on: without it %2 does not start with %3 %4 and a %5 above that, which is not known</source>
        <translation>%1 保持开启：关闭后，%2 不能以 %3 %4 和更大的 %5 启动，而后者未知</translation>
    </message>
    <message>
        <source>%1 stays on: without it %2 does not start with %3 %4 and %5 %6</source>
        <translation>%1 保持开启：关闭后，%2 不能以 %3 %4 和 %5 %6 启动</translation>
    </message>
    <message>
        <source>attention-data-parallel is not carried over: in %1 each GPU is a replica, not %2 of them</source>
        <translation>attention-data-parallel 未带过去：在 %1 中每个 GPU 是一个副本，而不是每 %2 个</translation>
    </message>
    <message>
        <source>expert-parallel-size %1 is not carried over: with %2 it is %3 in %4</source>
        <translation>expert-parallel-size %1 未带过去：使用 %2 时，它在 %4 中为 %3</translation>
    </message>
    <message>
        <source>%1 is not planned: %2</source>
        <translation>%1 未计入计划：%2</translation>
    </message>
    <message>
        <source>ranks share out the KV tokens of a sequence, and a GPU holds fewer bytes of them than are said here</source>
        <translation>各 rank 分摊一个序列的 KV token，每个 GPU 持有的字节比这里所说的少</translation>
    </message>
    <message>
        <source>replicas that share the experts</source>
        <translation>共用专家的副本</translation>
    </message>
    <message>
        <source>GPUs that the experts are dealt out to</source>
        <translation>分担专家的 GPU 数</translation>
    </message>
    <message>
        <source>Read as a configuration of %1, which is a guess: %2 would take its keys as well, and --from decides</source>
        <translation>按 %1 的配置读取，这只是猜测：%2 也认得这些键，由 --from 决定</translation>
    </message>
    <message>
        <source>Their defaults in the text were taken: %1</source>
        <translation>采用了文本中的默认值：%1</translation>
    </message>
    <message>
        <source>Their values are not in the file: %1</source>
        <translation>文件中没有这些变量的值：%1</translation>
    </message>
    <message>
        <source>Only %1 was read, not %2</source>
        <translation>只读取了 %1，没有读取 %2</translation>
    </message>
    <message>
        <source>Of %1 this was not read: %2</source>
        <translation>%1 中没有读取：%2</translation>
    </message>
    <message>
        <source>%1 extends another, and what it takes from there was not read</source>
        <translation>%1 继承自另一个服务，从那里得到的内容没有读取</translation>
    </message>
    <message>
        <source>The variables in %1 were not read</source>
        <translation>没有读取 %1 中的变量</translation>
    </message>
    <message>
        <source>%1 runs only under the profile %2</source>
        <translation>%1 只在 profile %2 下运行</translation>
    </message>
    <message>
        <source>%1 runs %2 times; these are the settings of one</source>
        <translation>%1 运行 %2 份；这是其中一份的设置</translation>
    </message>
    <message>
        <source>%1 is a part of a GPU: say its memory with --gpu-memory</source>
        <translation>%1 只是 GPU 的一部分：用 --gpu-memory 说明它的显存</translation>
    </message>
    <message>
        <source>%1 joins %2 pods: GPUs of all were counted</source>
        <translation>%1 合用 %2 个 pod：已计入全部 GPU</translation>
    </message>
    <message>
        <source>The file holds %1 documents, and one was read</source>
        <translation>文件中有 %1 个文档，只读取了一个</translation>
    </message>
    <message>
        <source>The files that it includes were not read</source>
        <translation>没有读取它包含的其他文件</translation>
    </message>
    <message>
        <source>%1 is written with its value as one word, which the engine refuses; two were read</source>
        <translation>%1 与它的值写成了一个词，引擎会拒绝；已按两个词读取</translation>
    </message>
    <message>
        <source>The command holds variables; put them there too: %1</source>
        <translation>命令中有变量；请把它们也放进去：%1</translation>
    </message>
    <message>
        <source>Compose runs one of the %1 replicas</source>
        <translation>compose 只运行 %1 个副本中的一个</translation>
    </message>
    <message>
        <source>Kubernetes mounts absolute paths alone; put on each host %1</source>
        <translation>Kubernetes 只挂载绝对路径；请在每台主机上放好：%1</translation>
    </message>
    <message>
        <source>Kubernetes fills in no variables of a shell; write the values of %1</source>
        <translation>Kubernetes 不会替换 shell 变量；请写上这些变量的值：%1</translation>
    </message>
    <message>
        <source>The weights and KV of %1, which guesses tokens ahead, are not counted</source>
        <translation>负责预猜 token 的 %1，其权重与 KV 未计入</translation>
    </message>
    <message>
        <source>%1 guesses no tokens ahead: %2 is not carried over</source>
        <translation>%1 不预猜 token：%2 未带过去</translation>
    </message>
    <message>
        <source>%1 cannot guess tokens ahead by %2: %3 is not carried over</source>
        <translation>%1 无法用 %2 预猜 token：%3 未带过去</translation>
    </message>
    <message>
        <source>Guessing by %1 takes the name of the model that guesses: %2 is not carried over</source>
        <translation>用 %1 预猜需要草稿模型的名称：%2 未带过去</translation>
    </message>
    <message>
        <source>Nothing says how many tokens are guessed ahead: %1 is told %2</source>
        <translation>未说明预猜多少个 token：告知 %1 的是 %2</translation>
    </message>
    <message>
        <source>Nothing says how tokens are guessed ahead: %1 is not carried over</source>
        <translation>未说明如何预猜 token：%1 未带过去</translation>
    </message>
    <message>
        <source>Without a method %1 guesses by %2, or by the heads of a checkpoint that has some</source>
        <translation>未指定方法时，%1 用 %2 预猜；检查点自带预测头时则用预测头</translation>
    </message>
    <message>
        <source>%1 refuses %2 without %3: %4 tokens guessed ahead are meant</source>
        <translation>没有 %3 时 %1 拒绝 %2：按预猜 %4 个 token 理解</translation>
    </message>
    <message>
        <source>%1 is not carried over: the model&apos;s own MTP layers take its place</source>
        <translation>%1 未带过去：由模型自身的 MTP 层代替</translation>
    </message>
    <message>
        <source>%1 guesses in a row: the tree of %2 tokens, %3 behind each, is not carried over</source>
        <translation>%1 只能逐个连续预猜：%2 个 token、每个之后 %3 个的树未带过去</translation>
    </message>
    <message>
        <source>expert-exchange %1 is not carried over: with %2 whole experts would be dealt out</source>
        <translation>expert-exchange %1 未带过去：有了 %2 就会按整个专家分配</translation>
    </message>
    <message>
        <source>%1 takes DeepEP&apos;s low latency for replies alone, unasked</source>
        <translation>%1 会自行只对回复采用 DeepEP 的低延迟方式</translation>
    </message>
    <message>
        <source>No port of the first node is stated: %1 is told</source>
        <translation>未说明首个节点的端口：告知的是 %1</translation>
    </message>
    <message>
        <source>With %1 whole experts are dealt out to all %2 GPUs</source>
        <translation>有了 %1，整个专家会分配到全部 %2 个 GPU</translation>
    </message>
    <message>
        <source>%1 stays in the configuration file: it is not repeated here</source>
        <translation>%1 留在配置文件中：此处不再重复</translation>
    </message>
    <message>
        <source>copies of experts add to the weights of each GPU</source>
        <translation>专家的副本会增加每个 GPU 的权重</translation>
    </message>
    <message>
        <source>copies of experts that it may ask for (num_redundant_experts) add to the weights of each GPU</source>
        <translation>其中可能要求的专家副本（num_redundant_experts）会增加每个 GPU 的权重</translation>
    </message>
    <message>
        <source>how tokens reach their experts</source>
        <translation>token 如何到达各自的专家</translation>
    </message>
    <message>
        <source>machines</source>
        <translation>机器数</translation>
    </message>
    <message>
        <source>number of this machine</source>
        <translation>本机编号</translation>
    </message>
    <message>
        <source>host of the first machine</source>
        <translation>首台机器的主机名</translation>
    </message>
    <message>
        <source>port of the first machine</source>
        <translation>首台机器的端口</translation>
    </message>
    <message>
        <source>host and port of the first machine</source>
        <translation>首台机器的主机名与端口</translation>
    </message>
    <message>
        <source>guesses that follow each one</source>
        <translation>每个猜测之后的猜测数</translation>
    </message>
    <message>
        <source>tokens of a tree of guesses</source>
        <translation>猜测树的 token 数</translation>
    </message>
    <message>
        <source>Measured in the simulator on %1 x %2; Pitwall serves on one device alone</source>
        <translation>在模拟器中按 %1 × %2 测得；Pitwall 只在单个设备上服务</translation>
    </message>
    <message>
        <source>Measured in the simulator on %1; Pitwall serves on the CPU, or with --device cuda on the GPU that is there</source>
        <translation>在模拟器中按 %1 测得；Pitwall 在 CPU 上服务，加 --device cuda 则使用本机的 GPU</translation>
    </message>
    <message>
        <source>%1 is a description without weights: fetch %2, then give its folder to --model</source>
        <translation>%1 只是描述，不含权重：请先下载 %2，再把其文件夹交给 --model</translation>
    </message>
    <message>
        <source>KV of %1 is not carried over: the shared context takes %2</source>
        <translation>%1 的 KV 没有沿用：共用的上下文占 %2</translation>
    </message>
    <message>
        <source>The %1 slots share one context of %2 tokens</source>
        <translation>%1 个槽共用一个 %2 token 的上下文</translation>
    </message>
    <message>
        <source>No length is stated: each of the %1 slots has its part of the model&apos;s %2 tokens</source>
        <translation>没有给出长度：%1 个槽各得模型 %2 token 中的一份</translation>
    </message>
    <message>
        <source>%1; KV of the context may take up to %2</source>
        <translation>%1；上下文的 KV 最多可占 %2</translation>
    </message>
    <message>
        <source>%1 loads weights as the checkpoint has them: take one in %2, which these bytes are of</source>
        <translation>%1 按检查点原样加载权重：请取 %2 的检查点，这里的字节数即按它计算</translation>
    </message>
    <message>
        <source>powers of two from %1 to %2</source>
        <translation> %1 到 %2 之间 2 的幂</translation>
    </message>
    <message>
        <source>The KV cache holds sequences of %1 tokens, of the %2 asked for</source>
        <translation>KV 缓存可容纳 %1 token 的序列，少于要求的 %2</translation>
    </message>
    <message>
        <source>%1 does not start with max-model-len %2: the model was made for %3 tokens</source>
        <translation>%1 在 max-model-len 为 %2 时无法启动：该模型的设计长度为 %3 token</translation>
    </message>
    <message>
        <source>%1 does not start with %2 %3 and %4 %5</source>
        <translation>%1 在 %2 为 %3、%4 为 %5 时无法启动</translation>
    </message>
    <message>
        <source>a larger pool</source>
        <translation>更大的池</translation>
    </message>
    <message>
        <source>the engine starts with it</source>
        <translation>引擎可以启动</translation>
    </message>
    <message>
        <source>it starts; longer requests are refused, and those of this length take turns</source>
        <translation>可以启动；更长的请求会被拒绝，这一长度的请求轮流执行</translation>
    </message>
    <message>
        <source>%1 %2 is not carried over: %3 is not known to have it</source>
        <translation>%1 %2 未带过去：尚不知道 %3 支持它</translation>
    </message>
    <message>
        <source>kv-tokens %1 becomes the length of that context</source>
        <translation>kv-tokens %1 成为该上下文的长度</translation>
    </message>
    <message>
        <source>%1 is not planned: a GPU holds less than is said here</source>
        <translation>%1 未计入计划：GPU 上的占用少于此处所示</translation>
    </message>
    <message>
        <source>how tool calls are read from replies</source>
        <translation>如何从回复中读出工具调用</translation>
    </message>
    <message>
        <source>how thoughts are told from replies</source>
        <translation>如何把思考与回复分开</translation>
    </message>
    <message>
        <source>The file states no indexer: engines that attend sparsely keep %1 B of index keys a token and layer beside</source>
        <translation>文件没有写明索引器：使用稀疏注意力的引擎在每层还为每个 token 保存 %1 B 的索引键</translation>
    </message>
    <message>
        <source>replicas share the experts, and exchange tokens in each layer</source>
        <translation>副本共用专家，每层都要交换 token</translation>
    </message>
    <message>
        <source>Rows of weights are divided (-sm row): the first GPU then holds the KV of all, and more of it than is said here; stages (-sm layer) divide it</source>
        <translation>权重按行切分（-sm row）：此时第一块 GPU 保存全部 KV，比此处所示更多；分段（-sm layer）才会切分它</translation>
    </message>
    <message>
        <source>%1 loads no .gguf files: take the repository that %2 was made of</source>
        <translation>%1 不加载 .gguf 文件：请使用 %2 的来源仓库</translation>
    </message>
    <message>
        <source>The model has no experts to share out: expert-parallel changes nothing</source>
        <translation>该模型没有可分配的专家：expert-parallel 不起作用</translation>
    </message>
    <message>
        <source>%1 changes no weights of this model</source>
        <translation>%1 不改变该模型的任何权重</translation>
    </message>
    <message>
        <source>%1 does not start with expert-parallel: the model has no experts</source>
        <translation>%1 在 expert-parallel 下无法启动：该模型没有专家</translation>
    </message>
    <message>
        <source>%1 has no %2 arithmetic: weights in %3 are unpacked for each product where the engine can, as vLLM does, and refused where it cannot</source>
        <translation>%1 没有 %2 运算：引擎若能（如 vLLM）会在每次乘法前解包 %3 权重，否则会拒绝</translation>
    </message>
    <message>
        <source>Kubernetes runs the replicas: %1 pods</source>
        <translation>副本由 Kubernetes 运行：%1 个 pod</translation>
    </message>
    <message>
        <source>%1 GPUs in one pod are more than a node has: give each node a pod of its own, as LeaderWorkerSet does, with nodes, node rank and the first one&apos;s address</source>
        <translation>一个 pod 中有 %1 块 GPU，超过一个节点所有：像 LeaderWorkerSet 那样给每个节点一个 pod，并给出节点数、节点序号和首节点地址</translation>
    </message>
</context>
<context>
    <name>pitwall::ui</name>
    <message>
        <source>KV as the model</source>
        <translation>KV 随模型</translation>
    </message>
    <message>
        <source>KV %1</source>
        <translation>KV %1</translation>
    </message>
    <message>
        <source>max %1</source>
        <translation>最长 %1</translation>
    </message>
    <message>
        <source>max as the model</source>
        <translation>最长随模型</translation>
    </message>
    <message>
        <source>TP %1</source>
        <translation>TP %1</translation>
    </message>
    <message>
        <source>PP %1</source>
        <translation>PP %1</translation>
    </message>
    <message>
        <source>%1 seqs</source>
        <translation>%1 路序列</translation>
    </message>
    <message>
        <source>%1 a step</source>
        <translation>每步 %1</translation>
    </message>
    <message>
        <source>blocks of %1</source>
        <translation>块大小 %1</translation>
    </message>
    <message>
        <source>graphs</source>
        <translation>CUDA 图</translation>
    </message>
    <message>
        <source>no graphs</source>
        <translation>无 CUDA 图</translation>
    </message>
    <message>
        <source>prefix cache</source>
        <translation>前缀缓存</translation>
    </message>
    <message>
        <source>no prefix cache</source>
        <translation>无前缀缓存</translation>
    </message>
    <message>
        <source>rules %1</source>
        <translation>规则 %1</translation>
    </message>
    <message>
        <source>by the model</source>
        <translation>由模型定</translation>
    </message>
    <message>
        <source>this engine</source>
        <translation>本引擎</translation>
    </message>
    <message>
        <source>as layers need</source>
        <translation>按层所需</translation>
    </message>
    <message>
        <source>full length</source>
        <translation>按全长</translation>
    </message>
    <message>
        <source>%1 KV heads</source>
        <translation>%1 个 KV 头</translation>
    </message>
    <message>
        <source>A latent row replaces the heads: every rank keeps all of it.</source>
        <translation>用隐向量代替各个头：每个 rank 都保留完整一份。</translation>
    </message>
    <message>
        <source>KV heads, not the %1 attention heads: with those it would be %2 times as much.</source>
        <translation>按 KV 头计，而不是 %1 个注意力头：按后者会是 %2 倍。</translation>
    </message>
    <message>
        <source>Each of the %1 attention heads has K and V of its own.</source>
        <translation>%1 个注意力头各有自己的 K 和 V。</translation>
    </message>
    <message>
        <source>Window layers stop growing at their window: no one number of tokens fits.</source>
        <translation>窗口层到窗口大小就不再增长：没有单一的 token 数。</translation>
    </message>
    <message>
        <source>The other layers keep a state of fixed size for each request.</source>
        <translation>其余层为每个请求保留固定大小的状态。</translation>
    </message>
    <message>
        <source>No layer keeps anything for each token.</source>
        <translation>没有哪层为每个 token 保留数据。</translation>
    </message>
    <message>
        <source>= %1 B</source>
        <translation>= %1 B</translation>
    </message>
    <message>
        <source>%1 layers</source>
        <translation>%1 层</translation>
    </message>
    <message>
        <source>latent KV</source>
        <translation>隐式 KV</translation>
    </message>
    <message>
        <source>weights %1 from tensor headers</source>
        <translation>权重 %1，取自张量头</translation>
    </message>
    <message>
        <source>weights %1, computed</source>
        <translation>权重 %1，计算得出</translation>
    </message>
    <message>
        <source>%1 requests at p95</source>
        <translation>p95 长度 %1 个请求</translation>
    </message>
    <message>
        <source>max length %1</source>
        <translation>最大长度 %1</translation>
    </message>
    <message>
        <source>the model&apos;s %1</source>
        <translation>模型上限 %1</translation>
    </message>
    <message>
        <source>KV full at %1</source>
        <translation>%1 时 KV 用满</translation>
    </message>
    <message>
        <source>limit reached at %1</source>
        <translation>%1 时达到限制</translation>
    </message>
    <message>
        <source>knee %1</source>
        <translation>拐点 %1</translation>
    </message>
    <message>
        <source>%1 asked</source>
        <translation>要求 %1</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>length</source>
        <translation>长度</translation>
    </message>
    <message>
        <source>step tokens</source>
        <translation>每步 token</translation>
    </message>
    <message>
        <source>tensor parallel</source>
        <translation>张量并行</translation>
    </message>
    <message>
        <source>KV</source>
        <translation>KV</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>no answer</source>
        <translation>无结果</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>fits with less</source>
        <translation>减量放得下</translation>
    </message>
    <message>
        <source>fails</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>reading…</source>
        <translation>读取中…</translation>
    </message>
    <message>
        <source>Alternative</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Memory verdict</source>
        <translation>显存结论</translation>
    </message>
    <message>
        <source>Total / limit GiB</source>
        <translation>合计 / 上限 GiB</translation>
    </message>
    <message>
        <source>Of the rank with the least room</source>
        <translation>余量最小的 rank</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Asked for, and possible where that is less</source>
        <translation>要求的数量；容不下时后接可行数量</translation>
    </message>
    <message>
        <source>TTFT s</source>
        <translation>TTFT s</translation>
    </message>
    <message>
        <source>Mean time to the first token, no queue; △ above the limit</source>
        <translation>首个 token 的平均耗时，不含排队；△ 表示超限</translation>
    </message>
    <message>
        <source>TPOT ms</source>
        <translation>TPOT ms</translation>
    </message>
    <message>
        <source>Mean time between a request&apos;s tokens; △ above the limit</source>
        <translation>同一请求 token 间的平均时间；△ 表示超限</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>token/s</translation>
    </message>
    <message>
        <source>Output tokens of all replicas</source>
        <translation>所有副本的输出 token</translation>
    </message>
    <message>
        <source>per GPU</source>
        <translation>每 GPU</translation>
    </message>
    <message>
        <source>Output tokens per second and GPU</source>
        <translation>每秒每 GPU 的输出 token</translation>
    </message>
    <message>
        <source>Least change</source>
        <translation>最小改动</translation>
    </message>
    <message>
        <source>The least single change that fits</source>
        <translation>能放下的最小单项改动</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>differs: %1</source>
        <translation>不一致：%1</translation>
    </message>
    <message>
        <source>agrees: %1</source>
        <translation>一致：%1</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>Changed</source>
        <translation>改动</translation>
    </message>
    <message>
        <source>tok/s published</source>
        <translation>token/s 公布值</translation>
    </message>
    <message>
        <source>Output tokens per second, by the recipe&apos;s source</source>
        <translation>配方来源给出的每秒输出 token</translation>
    </message>
    <message>
        <source>simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>Output tokens per second, in the simulator</source>
        <translation>模拟器得出的每秒输出 token</translation>
    </message>
    <message>
        <source>ratio</source>
        <translation>比值</translation>
    </message>
    <message>
        <source>Simulated over published</source>
        <translation>模拟值 / 公布值</translation>
    </message>
    <message>
        <source>× first, published</source>
        <translation>× 首步，公布值</translation>
    </message>
    <message>
        <source>Throughput over that of the first step, by the source</source>
        <translation>来源给出的吞吐相对首步的倍数</translation>
    </message>
    <message>
        <source>Throughput over that of the first step, in the simulator</source>
        <translation>模拟器得出的吞吐相对首步的倍数</translation>
    </message>
    <message>
        <source>TTFT s published</source>
        <translation>TTFT s 公布值</translation>
    </message>
    <message>
        <source>Mean time to the first token, by the recipe&apos;s source</source>
        <translation>配方来源给出的首个 token 平均耗时</translation>
    </message>
    <message>
        <source>Mean time to the first token, in the simulator</source>
        <translation>模拟器得出的首个 token 平均耗时</translation>
    </message>
    <message>
        <source>Direction</source>
        <translation>方向</translation>
    </message>
    <message>
        <source>Whether both move the same way since the step before for which the source has the figure; less than 5 % is no move</source>
        <translation>相对来源上一个有数字的步骤，两者是否同向变化；不足 5 % 视为不变</translation>
    </message>
    <message>
        <source>Published %1 → %2 tok/s is against the first step, “%3”: %4 ×.</source>
        <translation>公布的 %1 → %2 token/s 相对首步“%3”：%4 倍。</translation>
    </message>
    <message>
        <source>Simulated %1 → %2 tok/s: %3 ×.</source>
        <translation>模拟 %1 → %2 token/s：%3 倍。</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>“%1”</translation>
    </message>
    <message>
        <source>The source states no throughput for %1.</source>
        <translation>来源没有给出%1的吞吐。</translation>
    </message>
    <message>
        <source>%1 of %2 figures move the way that the source says.</source>
        <translation>%2 个数字中有 %1 个与来源同向变化。</translation>
    </message>
    <message>
        <source>Spike %1</source>
        <translation>尖峰 %1</translation>
    </message>
    <message>
        <source>step %1 made %2 wait</source>
        <translation>第 %1 步，%2 路流等待</translation>
    </message>
    <message>
        <source>%1 prefill tokens</source>
        <translation>%1 个预填充 token</translation>
    </message>
    <message>
        <source>%1 preempted</source>
        <translation>抢占 %1</translation>
    </message>
    <message>
        <source>Lap %1</source>
        <translation>圈次 %1</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>No KV block is free: new ones take the oldest cached blocks. Not an out-of-memory risk.</source>
        <translation>没有空闲 KV 块：新块取自最旧的缓存块，不会因此内存不足。</translation>
    </message>
    <message>
        <source>No KV block is free: waiting requests start when running ones end.</source>
        <translation>没有空闲 KV 块：运行中的请求结束后，等待的请求才开始。</translation>
    </message>
    <message>
        <source>No KV block is free: running requests that grow preempt the newest one.</source>
        <translation>没有空闲 KV 块：继续增长的请求会抢占最新的请求。</translation>
    </message>
    <message>
        <source>Free KV blocks last about %1 at %2/s; then the oldest cached blocks are reused. Not an out-of-memory risk.</source>
        <translation>按 %2/s，空闲 KV 块够用约 %1；之后复用最旧的缓存块，不会因此内存不足。</translation>
    </message>
    <message>
        <source>The KV pool has a fixed size: serving more does not grow it.</source>
        <translation>KV 池大小固定：服务更多请求也不会增长。</translation>
    </message>
    <message>
        <source>%1 of what is booked was not touched yet: the system gives pages at first use.</source>
        <translation>账面中有 %1 尚未触及：系统在首次使用时才分配内存页。</translation>
    </message>
    <message>
        <source>%1 are not booked: this program itself, its window and libraries.</source>
        <translation>有 %1 不在账面：程序自身、窗口和库。</translation>
    </message>
    <message>
        <source>%1, %2 for KV, %3 wide</source>
        <translation>%1，其中 KV %2，宽 %3</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Quantisation</source>
        <translation>量化</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>注意力头</translation>
    </message>
    <message>
        <source>Hidden size</source>
        <translation>隐藏维度</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>词表</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 token</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>KV per token</source>
        <translation>每 token KV</translation>
    </message>
    <message>
        <source>%1 at 16 bit</source>
        <translation>16 位时 %1</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>File size</source>
        <translation>文件大小</translation>
    </message>
    <message>
        <source>stop</source>
        <translation>停止符</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>error</source>
        <translation>出错</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Request</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>In order of arrival since the engine started.</source>
        <translation>引擎启动以来按到达顺序编号。</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>What it does, or why it ended.</source>
        <translation>正在做什么，或为何结束。</translation>
    </message>
    <message>
        <source>Arrived</source>
        <translation>到达</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Tokens in.</source>
        <translation>输入 token。</translation>
    </message>
    <message>
        <source>Out</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Tokens out.</source>
        <translation>输出 token。</translation>
    </message>
    <message>
        <source>Queue ms</source>
        <translation>排队 ms</translation>
    </message>
    <message>
        <source>Arrival to first step.</source>
        <translation>从到达到第一步。</translation>
    </message>
    <message>
        <source>TTFT ms</source>
        <translation>TTFT ms</translation>
    </message>
    <message>
        <source>Arrival to first token.</source>
        <translation>从到达到首个 token。</translation>
    </message>
    <message>
        <source>Per token after the first.</source>
        <translation>首个之后每个 token。</translation>
    </message>
    <message>
        <source>Worst ITL ms</source>
        <translation>最差 ITL ms</translation>
    </message>
    <message>
        <source>Longest gap between two tokens.</source>
        <translation>相邻两个 token 的最长间隔。</translation>
    </message>
    <message>
        <source>Step %1: %2 decode and %3 prefill tokens in %4, sequences: %5, waiting: %6, KV blocks used: %7, cached: %8</source>
        <translation>第 %1 步：解码 %2、预填充 %3 token，用时 %4，序列 %5，等待 %6，KV 块使用 %7，缓存 %8</translation>
    </message>
    <message>
        <source>the device waited %1 before it</source>
        <translation>此前设备空等 %1</translation>
    </message>
    <message>
        <source>expected %1</source>
        <translation>预期 %1</translation>
    </message>
    <message>
        <source>%1 cached blocks evicted</source>
        <translation>逐出 %1 个缓存块</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>加载中</translation>
    </message>
    <message>
        <source>Serving</source>
        <translation>服务中</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>停止中</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>As the system</source>
        <comment>language</comment>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>KV used</source>
        <translation>KV 使用</translation>
    </message>
    <message>
        <source>KV cached</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>KV quarantined</source>
        <translation>KV 隔离</translation>
    </message>
    <message>
        <source>KV free</source>
        <translation>KV 空闲</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>Graphs</source>
        <translation>CUDA 图</translation>
    </message>
    <message>
        <source>Communicator</source>
        <translation>通信器</translation>
    </message>
    <message>
        <source>Context</source>
        <comment>of the driver</comment>
        <translation>CUDA 上下文</translation>
    </message>
    <message>
        <source>Other processes</source>
        <translation>其他进程</translation>
    </message>
    <message>
        <source>Not touched yet</source>
        <translation>尚未触及</translation>
    </message>
    <message>
        <source>Unaccounted</source>
        <translation>未计入</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <comment>parts of a list</comment>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>two sentences, one after the other</comment>
        <translation>%1%2</translation>
    </message>
    <message>
        <source>= %1 B in all</source>
        <translation>合计 = %1 B</translation>
    </message>
    <message>
        <source>%1 B per rank.</source>
        <translation>每 rank %1 B。</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Form</source>
        <translation>形式</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Docker compose</source>
        <translation>Docker compose</translation>
    </message>
    <message>
        <source>Kubernetes</source>
        <translation>Kubernetes</translation>
    </message>
    <message>
        <source>Flags for other engines</source>
        <translation>其他引擎的参数</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>booked</source>
        <translation>账面</translation>
    </message>
    <message>
        <source>system says</source>
        <translation>系统报告</translation>
    </message>
    <message>
        <source>Working memory</source>
        <translation>工作内存</translation>
    </message>
    <message>
        <source>No request yet</source>
        <translation>尚无请求</translation>
    </message>
    <message>
        <source>n = %1: no p90 until n ≥ 20, no p99 until n ≥ 100</source>
        <translation>n = %1：n ≥ 20 前不画 p90，n ≥ 100 前不画 p99</translation>
    </message>
    <message>
        <source>n = %1: no p99 until n ≥ 100</source>
        <translation>n = %1：n ≥ 100 前不画 p99</translation>
    </message>
    <message>
        <source>Cached</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>Prompt tokens found in the prefix cache.</source>
        <translation>在前缀缓存命中的提示词 token。</translation>
    </message>
    <message>
        <source>Preempted</source>
        <translation>被抢占</translation>
    </message>
    <message>
        <source>Times it gave its KV blocks back.</source>
        <translation>交还 KV 块的次数。</translation>
    </message>
    <message>
        <source>joined, %1 tokens cached</source>
        <translation>加入，%1 token 来自缓存</translation>
    </message>
    <message>
        <source>joined</source>
        <translation>加入</translation>
    </message>
    <message>
        <source>came back</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>left</source>
        <translation>离开</translation>
    </message>
    <message>
        <source>was preempted, %1 tokens thrown away</source>
        <translation>被抢占，丢弃 %1 token</translation>
    </message>
    <message>
        <source>was swapped out, %1 tokens</source>
        <translation>被换出，%1 token</translation>
    </message>
    <message>
        <source>In this step</source>
        <translation>本步</translation>
    </message>
    <message>
        <source>Out by now</source>
        <translation>至此输出</translation>
    </message>
    <message>
        <source>Times it gave its KV blocks back, by now.</source>
        <translation>至此交还 KV 块的次数。</translation>
    </message>
    <message>
        <source>went on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Recommended settings</source>
        <translation>推荐设置</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置项</translation>
    </message>
    <message>
        <source>ITL</source>
        <translation>ITL</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>Not recorded</source>
        <translation>未记录</translation>
    </message>
    <message>
        <source>Recorded again</source>
        <translation>恢复记录</translation>
    </message>
    <message>
        <source>Run %1 is recorded again, with what happened in the meantime.</source>
        <translation>运行 %1 已恢复记录，中断期间的内容也已补上。</translation>
    </message>
    <message>
        <source>Since %1 the run cannot be written down: it is kept in memory until the disk takes it. The engine serves on; the log says why.</source>
        <translation>自 %1 起，此运行无法写入磁盘：内容保留在内存中，待磁盘可写时补写。引擎继续服务；原因见日志。</translation>
    </message>
    <message>
        <source>Show the log</source>
        <translation>查看日志</translation>
    </message>
    <message>
        <source>%1 layers + %2 draft</source>
        <translation>%1 层 + %2 个草稿层</translation>
    </message>
    <message>
        <source>frees %1</source>
        <translation>释放 %1</translation>
    </message>
    <message>
        <source>at most %1 tokens each, as now</source>
        <translation>每条最多 %1 token，与现在相同</translation>
    </message>
    <message>
        <source>not enough alone</source>
        <translation>单独不够</translation>
    </message>
    <message>
        <source>enough together: %1 · %2</source>
        <translation>合用即够：%1 · %2</translation>
    </message>
    <message>
        <source>stages</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>two together</source>
        <translation>两项合用</translation>
    </message>
    <message>
        <source>Its name is not UTF-8. Rename it, then open it.</source>
        <translation>它的文件名不是 UTF-8。请改名后再打开。</translation>
    </message>
    <message>
        <source>It is not a file.</source>
        <translation>它不是文件。</translation>
    </message>
    <message>
        <source>It is empty.</source>
        <translation>它是空的。</translation>
    </message>
    <message>
        <source>It does not begin as a GGUF file does.</source>
        <translation>它的开头不像 GGUF 文件。</translation>
    </message>
    <message>
        <source>Most at p95 / max</source>
        <translation>p95 / 最长可容</translation>
    </message>
    <message>
        <source>Requests of p95 length that fit at once / of max length</source>
        <translation>同时容得下的 p95 长度请求数 / 最大长度请求数</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::AboutCard</name>
    <message>
        <source>About</source>
        <translation>关于</translation>
    </message>
    <message>
        <source>What is this made of, and under which licences?</source>
        <translation>由什么构成，采用哪些许可？</translation>
    </message>
    <message>
        <source>Parts and licences</source>
        <translation>组成与许可</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>组成</translation>
    </message>
    <message>
        <source>Version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy versions and licences</source>
        <translation>复制版本与许可</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ActionRegistry</name>
    <message>
        <source>everywhere</source>
        <translation>各处</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::AttachmentRow</name>
    <message>
        <source>Remove this file</source>
        <translation>移除此文件</translation>
    </message>
    <message>
        <source>Remove %1</source>
        <translation>移除 %1</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::BannerBar</name>
    <message>
        <source>Copy details</source>
        <translation>复制详情</translation>
    </message>
    <message>
        <source>Dismiss (Esc)</source>
        <translation>关闭（Esc）</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
    <message numerus="yes">
        <source>+%n more</source>
        <translation>
            <numerusform>还有 %n 条</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>pitwall::ui::CdfChart</name>
    <message>
        <source>No sample yet</source>
        <translation>尚无样本</translation>
    </message>
    <message>
        <source>p%1 %2</source>
        <translation>p%1 %2</translation>
    </message>
    <message>
        <source>largest %1</source>
        <translation>最大 %1</translation>
    </message>
    <message>
        <source>%1 %2 of %3 samples</source>
        <translation>%1 %2，共 %3 个样本</translation>
    </message>
    <message>
        <source>%1: no sample yet.</source>
        <translation>%1：尚无样本。</translation>
    </message>
    <message>
        <source>%1, %2: %3.</source>
        <translation>%1，%2：%3。</translation>
    </message>
    <message>
        <source>; </source>
        <translation>；</translation>
    </message>
    <message>
        <source>At most</source>
        <translation>不超过</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ChartCard</name>
    <message>
        <source>%1, table</source>
        <translation>%1，表格</translation>
    </message>
    <message>
        <source>Show %1 as a table (T)</source>
        <translation>以表格显示“%1”（T）</translation>
    </message>
    <message>
        <source>Export %1 (Ctrl+E)</source>
        <translation>导出“%1”（Ctrl+E）</translation>
    </message>
    <message>
        <source>%1 ends in none of .png, .svg and .csv.</source>
        <translation>%1 的扩展名不是 .png、.svg 或 .csv。</translation>
    </message>
    <message>
        <source>Export %1</source>
        <translation>导出 %1</translation>
    </message>
    <message>
        <source>Picture (*.png);;Drawing (*.svg);;Table (*.csv)</source>
        <translation>图片 (*.png);;矢量图 (*.svg);;表格 (*.csv)</translation>
    </message>
    <message>
        <source>Export elsewhere…</source>
        <translation>导出到别处…</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ChartPlot</name>
    <message>
        <source>no data</source>
        <translation>无数据</translation>
    </message>
    <message>
        <source>n %1</source>
        <translation>n %1</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ChatList</name>
    <message>
        <source>Chats</source>
        <translation>对话列表</translation>
    </message>
    <message>
        <source>&amp;New chat</source>
        <translation>新建对话(&amp;N)</translation>
    </message>
    <message>
        <source>New chat</source>
        <translation>新建对话</translation>
    </message>
    <message>
        <source>New chat (Ctrl+N)</source>
        <translation>新建对话（Ctrl+N）</translation>
    </message>
    <message>
        <source>Enter opens, F2 renames, Delete deletes; a deletion can be undone</source>
        <translation>Enter 打开，F2 重命名，Delete 删除；删除可以撤销</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>搜索全部对话</translation>
    </message>
    <message>
        <source>Finds words in titles and messages; Down goes to what was found</source>
        <translation>在标题和消息中查找；按向下键转到结果</translation>
    </message>
    <message>
        <source>Search all chats (Ctrl+Shift+F)</source>
        <translation>搜索全部对话（Ctrl+Shift+F）</translation>
    </message>
    <message>
        <source>Found in chats</source>
        <translation>对话中的结果</translation>
    </message>
    <message>
        <source>Enter opens the message</source>
        <translation>Enter 打开消息</translation>
    </message>
    <message>
        <source>“%1” is in no chat.</source>
        <translation>没有对话含“%1”。</translation>
    </message>
    <message>
        <source>Hits: %1</source>
        <translation>命中：%1</translation>
    </message>
    <message>
        <source>Chats: %1 · deleted ones stay %2 days</source>
        <translation>对话：%1 · 删除的保留 %2 天</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ChatListModel</name>
    <message>
        <source>now</source>
        <translation>刚刚</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 小时</translation>
    </message>
    <message>
        <source>yesterday</source>
        <translation>昨天</translation>
    </message>
    <message>
        <source>MMM d</source>
        <comment>date</comment>
        <translation>M月d日</translation>
    </message>
    <message>
        <source>MMM d, yyyy</source>
        <comment>date</comment>
        <translation>yyyy年M月d日</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ChatPage</name>
    <message>
        <source>New chat</source>
        <translation>新建对话</translation>
    </message>
    <message>
        <source>Find in chat</source>
        <translation>在对话中查找</translation>
    </message>
    <message>
        <source>Find in this chat (Ctrl+F)</source>
        <translation>在此对话中查找（Ctrl+F）</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>Sampling and system prompt</source>
        <translation>采样与系统提示词</translation>
    </message>
    <message>
        <source>Find in this chat</source>
        <translation>在此对话中查找</translation>
    </message>
    <message>
        <source>%1, %2 of %3</source>
        <translation>%1，%2 / %3</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Write the last reply again</source>
        <translation>重新生成最后一条回复</translation>
    </message>
    <message>
        <source>Edit the last message</source>
        <translation>编辑最后一条消息</translation>
    </message>
    <message>
        <source>Export this chat</source>
        <translation>导出此对话</translation>
    </message>
    <message>
        <source>Undo the deletion</source>
        <translation>撤销删除</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>Saved to %1</source>
        <translation>已保存到 %1</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Save this chat as Markdown, JSON or HTML (Ctrl+E)</source>
        <translation>将此对话存为 Markdown、JSON 或 HTML（Ctrl+E）</translation>
    </message>
    <message>
        <source>Search all chats</source>
        <translation>搜索全部对话</translation>
    </message>
    <message>
        <source>Earlier version</source>
        <translation>较早版本</translation>
    </message>
    <message>
        <source>Later version</source>
        <translation>较晚版本</translation>
    </message>
    <message>
        <source>Attach text files</source>
        <translation>附上文本文件</translation>
    </message>
    <message>
        <source>Attach text files, each up to %1</source>
        <translation>附上文本文件，每个最大 %1</translation>
    </message>
    <message>
        <source>All versions with timings (*.json)</source>
        <translation>全部版本及耗时 (*.json)</translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation>网页 (*.html)</translation>
    </message>
    <message>
        <source>“%1” does not say what to write. Its name must end in .md, .json or .html.</source>
        <translation>从“%1”看不出要写什么。文件名须以 .md、.json 或 .html 结尾。</translation>
    </message>
    <message>
        <source>The steps of this request are held no more. Its run is in Reports.</source>
        <translation>此请求的各步已不再保留。它的运行在“报告”页。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ChatSearchModel</name>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1, %2: %3</source>
        <translation>%1，%2：%3</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ChecklistDialog</name>
    <message>
        <source>New checklist</source>
        <translation>新建清单</translation>
    </message>
    <message>
        <source>Template</source>
        <translation>模板</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Measured on</source>
        <translation>测量对象</translation>
    </message>
    <message>
        <source>the simulator</source>
        <translation>模拟器</translation>
    </message>
    <message>
        <source>an engine of its own</source>
        <translation>独立引擎</translation>
    </message>
    <message>
        <source>the running engine</source>
        <translation>运行中的引擎</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU 数</translation>
    </message>
    <message>
        <source>GPUs that share the model</source>
        <translation>共同承载模型的 GPU 数</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Requests of each measurement</source>
        <translation>每次测量的请求数</translation>
    </message>
    <message>
        <source>the workload&apos;s own</source>
        <translation>负载自带的数量</translation>
    </message>
    <message>
        <source>Repeats</source>
        <translation>重复次数</translation>
    </message>
    <message>
        <source>Of each measurement, with other prompts; 2 or more give an interval</source>
        <translation>每次测量用不同提示词重复；2 次以上才有区间</translation>
    </message>
    <message>
        <source>Create</source>
        <translation>创建</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Source: %1</source>
        <translation>来源：%1</translation>
    </message>
    <message>
        <source>Left out, since a running engine cannot change them: %1.</source>
        <translation>已略去，因为运行中的引擎无法更改：%1。</translation>
    </message>
    <message>
        <source>My checklist</source>
        <translation>我的清单</translation>
    </message>
    <message>
        <source>None: items of my own</source>
        <translation>无：自己的条目</translation>
    </message>
    <message>
        <source>Edit the checklist</source>
        <translation>编辑清单</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>A model that is known by name, or a file</source>
        <translation>按名称已知的模型，或一个文件</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Open a model&apos;s file</source>
        <translation>打开模型文件</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>打开模型</translation>
    </message>
    <message>
        <source>Models (*.gguf config.json);;All files (*)</source>
        <translation>模型 (*.gguf config.json);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::CommandDialog</name>
    <message>
        <source>no counterpart here</source>
        <translation>此处无对应项</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>not known; %1?</source>
        <translation>未知；是 %1 吗？</translation>
    </message>
    <message>
        <source>Read a command line</source>
        <translation>读取命令行</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Found out from the command</source>
        <translation>从命令识别</translation>
    </message>
    <message>
        <source>Command or configuration</source>
        <translation>命令或配置</translation>
    </message>
    <message>
        <source>Paste a command, a docker run line, an engine&apos;s YAML, a compose file or a Kubernetes manifest.</source>
        <translation>粘贴命令、docker run 行、引擎的 YAML、compose 文件或 Kubernetes 清单。</translation>
    </message>
    <message>
        <source>Flags</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Flag</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Means here</source>
        <translation>此处含义</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Fill the form</source>
        <translation>填入表单</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::CommandPalette</name>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>page</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>action</source>
        <translation>操作</translation>
    </message>
    <message>
        <source>setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>chat</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>checklist</source>
        <translation>清单</translation>
    </message>
    <message>
        <source>model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>A page, an action, a setting, a run, a chat, a checklist or a model</source>
        <translation>页面、操作、设置、运行、对话、清单或模型</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Enter: %1</source>
        <translation>Enter：%1</translation>
    </message>
    <message>
        <source>Nothing matches</source>
        <translation>没有匹配项</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::CompareView</name>
    <message>
        <source>Comparison</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>Before and after</source>
        <translation>前后对比</translation>
    </message>
    <message>
        <source>What did the change buy, what did it cost?</source>
        <translation>这项改动换来什么，代价是什么？</translation>
    </message>
    <message>
        <source>What changed</source>
        <translation>改动</translation>
    </message>
    <message>
        <source>only keys that differ</source>
        <translation>只列不同的键</translation>
    </message>
    <message>
        <source>Conditions</source>
        <translation>条件</translation>
    </message>
    <message>
        <source>Comparison of %1</source>
        <translation>%1 的对比</translation>
    </message>
    <message>
        <source>Other settings equal: %1. %2</source>
        <translation>其余相同的设置：%1 项。%2</translation>
    </message>
    <message>
        <source>Environment equal.</source>
        <translation>环境相同。</translation>
    </message>
    <message>
        <source>△ Environment differs.</source>
        <translation>△ 环境不同。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ConversationView</name>
    <message>
        <source>Conversation</source>
        <translation>对话内容</translation>
    </message>
    <message>
        <source>Ask something, or test the engine</source>
        <translation>提个问题，或者测测引擎</translation>
    </message>
    <message>
        <source>Show earlier messages: %1</source>
        <translation>显示更早的消息：%1</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::DataTable</name>
    <message>
        <source>Rows: %1. Columns: %2.</source>
        <translation>行：%1。列：%2。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::Deletions</name>
    <message>
        <source>Deleted the chat “%1”.</source>
        <translation>已删除对话“%1”。</translation>
    </message>
    <message>
        <source>Deleted the message.</source>
        <translation>已删除消息。</translation>
    </message>
    <message>
        <source>Deleted the message and what followed it: %1 messages.</source>
        <translation>已删除该消息及其后的内容：%1 条消息。</translation>
    </message>
    <message>
        <source>Deleted the preset “%1”.</source>
        <translation>已删除预设“%1”。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::DeploymentSelector</name>
    <message>
        <source>Deployment</source>
        <translation>部署</translation>
    </message>
    <message>
        <source>Starts from one that is shipped or saved.</source>
        <translation>从自带或保存的部署开始。</translation>
    </message>
    <message>
        <source>No deployment</source>
        <translation>无部署</translation>
    </message>
    <message>
        <source>%1, changed</source>
        <translation>%1，已改动</translation>
    </message>
    <message>
        <source>%1, not saved</source>
        <translation>%1，未保存</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::DesktopNotifier</name>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::DifferenceCard</name>
    <message>
        <source>What changed between the runs</source>
        <translation>两次运行之间改了什么</translation>
    </message>
    <message>
        <source>What changed</source>
        <translation>改动</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>After</source>
        <translation>之后</translation>
    </message>
    <message>
        <source>Recommended settings</source>
        <translation>推荐设置</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Flags for other engines…</source>
        <translation>其他引擎的参数…</translation>
    </message>
    <message>
        <source>Needs a run before and a run after.</source>
        <translation>需要改动前后各一次运行。</translation>
    </message>
    <message>
        <source>%1 (follows)</source>
        <translation>%1（随动）</translation>
    </message>
    <message>
        <source>✓ Environment equal: device, model, version, build.</source>
        <translation>✓ 环境相同：设备、模型、版本、构建。</translation>
    </message>
    <message>
        <source>△ The environment differs too: %1.</source>
        <translation>△ 环境也不同：%1。</translation>
    </message>
    <message>
        <source>△ Mixed: %1 variables changed.</source>
        <translation>△ 混合：改了 %1 个变量。</translation>
    </message>
    <message>
        <source>✓ One variable changed.</source>
        <translation>✓ 只改了一个变量。</translation>
    </message>
    <message>
        <source>Nothing is measured yet.</source>
        <translation>尚未测量。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::Draft</name>
    <message>
        <source>A message takes up to %1 files</source>
        <translation>一条消息最多附 %1 个文件</translation>
    </message>
    <message>
        <source>Remove one, or send another message</source>
        <translation>移除一个，或另发一条消息</translation>
    </message>
    <message>
        <source>“%1” is attached already</source>
        <translation>“%1”已经附上</translation>
    </message>
    <message>
        <source>Remove it first to attach another file of this name</source>
        <translation>先移除它，才能附上另一个同名文件</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::EffectBars</name>
    <message>
        <source>Before and after</source>
        <translation>前后对比</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::EngineChoice</name>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Whose rules lay out KV, whose share of memory is taken and whose memory is counted; step times too where they are known. By the model: this engine where it runs the model.</source>
        <translation>按谁的规则布置 KV、取显存份额、计算显存；已知时也用它的步时。由模型定：本引擎能运行该模型时用本引擎。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::EventsCard</name>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>When</source>
        <translation>时间</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::FetchCard</name>
    <message>
        <source>Models to fetch</source>
        <translation>可下载的模型</translation>
    </message>
    <message>
        <source>Which of these do you want on this machine?</source>
        <translation>这台机器需要哪些？</translation>
    </message>
    <message>
        <source>Not fetched</source>
        <translation>未下载</translation>
    </message>
    <message>
        <source>Fetching %1: %2</source>
        <translation>正在下载 %1：%2</translation>
    </message>
    <message>
        <source>Fetch %1</source>
        <translation>下载 %1</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::FetchRow</name>
    <message>
        <source>%1 terms</source>
        <translation>%1 条款</translation>
    </message>
    <message>
        <source>Share of %1 that is fetched</source>
        <translation>%1 的下载进度</translation>
    </message>
    <message>
        <source>Fetch</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Fetch %1</source>
        <translation>下载 %1</translation>
    </message>
    <message>
        <source>Its terms apply: &lt;a href=&quot;%1&quot;&gt;%1&lt;/a&gt;</source>
        <translation>适用其条款：&lt;a href=&quot;%1&quot;&gt;%1&lt;/a&gt;</translation>
    </message>
    <message>
        <source>Terms of %1</source>
        <translation>%1 的条款</translation>
    </message>
    <message>
        <source>Agree and fetch</source>
        <translation>同意并下载</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>暂不</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>停止中</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancel the fetch of %1</source>
        <translation>取消下载 %1</translation>
    </message>
    <message>
        <source>%1, %2 of %3</source>
        <translation>%1，%2 / %3</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Resume the fetch of %1</source>
        <translation>继续下载 %1</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::FigureStrip</name>
    <message>
        <source>Figures</source>
        <translation>关键数字</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Sequences in the batch, of those that may run at once.</source>
        <translation>批内序列数，以及可同时运行的上限。</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Requests in the queue.</source>
        <translation>队列中的请求。</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Tokens generated, over the last 2 s. Idle: share of their steps&apos; time in which the device waited although there was work.</source>
        <translation>最近 2 s 生成的 token。空等：有活可干而设备在等的时间占各步时间的份额。</translation>
    </message>
    <message>
        <source>New prompt tokens</source>
        <translation>新提示词 token</translation>
    </message>
    <message>
        <source>Prompt tokens computed, over the last 2 s.</source>
        <translation>最近 2 s 计算的提示词 token。</translation>
    </message>
    <message>
        <source>TTFT p50</source>
        <translation>TTFT p50</translation>
    </message>
    <message>
        <source>Time to first token, over the last 2 min.</source>
        <translation>最近 2 分钟的首个 token 耗时。</translation>
    </message>
    <message>
        <source>ITL p50 / p99</source>
        <translation>ITL p50 / p99</translation>
    </message>
    <message>
        <source>Gap between two tokens of a stream, over the last 2 min.</source>
        <translation>最近 2 分钟同一流相邻 token 的间隔。</translation>
    </message>
    <message>
        <source>Goodput</source>
        <translation>达标率</translation>
    </message>
    <message>
        <source>Requests that met all objectives, of the last 200 that ended in this lap.</source>
        <translation>本圈最近结束的 200 个请求中达到全部目标的份额。</translation>
    </message>
    <message>
        <source>Prefix hits</source>
        <translation>前缀命中</translation>
    </message>
    <message>
        <source>Prompt tokens found in the prefix cache, of the last 1,000 requests.</source>
        <translation>最近 1,000 个请求中在前缀缓存命中的提示词 token。</translation>
    </message>
    <message>
        <source>Preemptions</source>
        <translation>抢占</translation>
    </message>
    <message>
        <source>Sequences that had to give their KV blocks back.</source>
        <translation>不得不交还 KV 块的序列。</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>/ %1</translation>
    </message>
    <message>
        <source>tok/s, idle %1 %</source>
        <translation>token/s, 空等 %1 %</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>token/s</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>ms, max</source>
        <translation>ms, 最大</translation>
    </message>
    <message>
        <source>ms, max %1</source>
        <translation>ms, 最大 %1</translation>
    </message>
    <message>
        <source>no objectives</source>
        <translation>未设目标</translation>
    </message>
    <message>
        <source>in lap %1</source>
        <translation>第 %1 圈</translation>
    </message>
    <message>
        <source>of prompt tokens</source>
        <translation>提示词 token</translation>
    </message>
    <message>
        <source>since start</source>
        <translation>启动以来</translation>
    </message>
    <message>
        <source>The engine has stopped: these are its last figures.</source>
        <translation>引擎已停止：这些是它最后的数字。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::FindBar</name>
    <message>
        <source>Find in this chat</source>
        <translation>在此对话中查找</translation>
    </message>
    <message>
        <source>Enter goes on, Shift+Enter goes back, Esc closes</source>
        <translation>Enter 下一处，Shift+Enter 上一处，Esc 关闭</translation>
    </message>
    <message>
        <source>Previous hit</source>
        <translation>上一处</translation>
    </message>
    <message>
        <source>Next hit</source>
        <translation>下一处</translation>
    </message>
    <message>
        <source>Close the search</source>
        <translation>关闭搜索</translation>
    </message>
    <message>
        <source>not in this chat</source>
        <translation>此对话中没有</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::FixList</name>
    <message>
        <source>What would make it fit</source>
        <translation>怎样才放得下</translation>
    </message>
    <message>
        <source>What would make %1 fit</source>
        <translation>怎样让 %1 放得下</translation>
    </message>
    <message>
        <source>one change each, predicted</source>
        <translation>每项只改一处，预测</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>No single change is enough, and no two together. Take a larger GPU, a smaller model or a shorter length.</source>
        <translation>单项改动不够，两项合用也不够。请换更大的 GPU、更小的模型或更短的长度。</translation>
    </message>
    <message>
        <source>No single change is enough. The first card makes two, which are enough together.</source>
        <translation>单项改动都不够。第一项同时改两处，合用即够。</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1，同时%2</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::FlagsDialog</name>
    <message>
        <source>Flags</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::GoodputCard</name>
    <message>
        <source>Goodput</source>
        <translation>达标率</translation>
    </message>
    <message>
        <source>Who got what was promised?</source>
        <translation>谁得到了承诺的体验？</translation>
    </message>
    <message>
        <source>Objectives</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Limits in ms for each request: ttft:200 tpot:50 e2el:4000, or mlperf:NAME.</source>
        <translation>每个请求的上限，单位 ms：ttft:200 tpot:50 e2el:4000，或 mlperf:NAME。</translation>
    </message>
    <message>
        <source>No request has ended yet.</source>
        <translation>尚无请求结束。</translation>
    </message>
    <message>
        <source>Say what a request is promised, in ms.</source>
        <translation>填写对每个请求的承诺，单位 ms。</translation>
    </message>
    <message>
        <source>No request has ended in lap %1 yet.</source>
        <translation>第 %1 圈尚无请求结束。</translation>
    </message>
    <message>
        <source>%1 of %2 requests of lap %3 were good</source>
        <translation>第 %3 圈 %2 个请求中 %1 个达标</translation>
    </message>
    <message>
        <source>%1 over TTFT</source>
        <translation>TTFT 超限 %1</translation>
    </message>
    <message>
        <source>%1 over TPOT</source>
        <translation>TPOT 超限 %1</translation>
    </message>
    <message>
        <source>%1 over E2E</source>
        <translation>E2E 超限 %1</translation>
    </message>
    <message>
        <source>%1 failed</source>
        <translation>失败 %1</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ImportReader</name>
    <message>
        <source>%1 is still being read. Its disk may not answer; everything else goes on.</source>
        <translation>%1 仍在读取，所在磁盘可能没有响应；其他操作不受影响。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ItemDetail</name>
    <message>
        <source>before %1, after %2</source>
        <translation>之前 %1，之后 %2</translation>
    </message>
    <message>
        <source>Item</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Run (Enter)</source>
        <translation>运行（Enter）</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Keep (K)</source>
        <translation>保留（K）</translation>
    </message>
    <message>
        <source>Revert</source>
        <translation>回退</translation>
    </message>
    <message>
        <source>Revert (R)</source>
        <translation>回退（R）</translation>
    </message>
    <message>
        <source>Repeat runs</source>
        <translation>重复运行</translation>
    </message>
    <message>
        <source>As many repeats again, before and after: a narrower interval</source>
        <translation>前后再各重复同样次数：区间更窄</translation>
    </message>
    <message>
        <source>Decide</source>
        <translation>下结论</translation>
    </message>
    <message>
        <source>Edit…</source>
        <translation>编辑…</translation>
    </message>
    <message>
        <source>Effects</source>
        <translation>效果</translation>
    </message>
    <message>
        <source>Add an item: one setting, from one value to another.</source>
        <translation>添加条目：一个设置，从一个值改到另一个值。</translation>
    </message>
    <message>
        <source>each row from 0</source>
        <translation>每行从 0 起</translation>
    </message>
    <message>
        <source>Revert to %1</source>
        <translation>回退到 %1</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>Decide with %1</source>
        <translation>用 %1 次下结论</translation>
    </message>
    <message>
        <source>The best of the values that were tried, by the mean of the measure</source>
        <translation>试过的值中按指标均值最好的</translation>
    </message>
    <message>
        <source>Take %1</source>
        <translation>采用 %1</translation>
    </message>
    <message numerus="yes">
        <source>by you; %n pairs of runs</source>
        <translation>
            <numerusform>由您决定；%n 对运行</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>by the 95 % interval of %n pairs of runs</source>
        <translation>
            <numerusform>依据 %n 对运行的 95 % 区间</numerusform>
        </translation>
    </message>
    <message>
        <source>by one pair of runs, without an interval</source>
        <translation>依据一对运行，没有区间</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ItemDialog</name>
    <message>
        <source>Edit item</source>
        <translation>编辑条目</translation>
    </message>
    <message>
        <source>Add item</source>
        <translation>添加条目</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>More at once</source>
        <translation>提高并发</translation>
    </message>
    <message>
        <source>Hypothesis</source>
        <translation>假设</translation>
    </message>
    <message>
        <source>Why should it help?</source>
        <translation>为什么会有用？</translation>
    </message>
    <message>
        <source>Expected effect</source>
        <translation>预期效果</translation>
    </message>
    <message>
        <source>Twice the tok/s</source>
        <translation>token/s 翻倍</translation>
    </message>
    <message>
        <source>Also try</source>
        <translation>另试</translation>
    </message>
    <message>
        <source>further values, such as 16,32</source>
        <translation>其他取值，如 16,32</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>%1, as the checklist</source>
        <translation>%1，同清单</translation>
    </message>
    <message>
        <source>Another variable…</source>
        <translation>再加一个变量…</translation>
    </message>
    <message>
        <source>&amp;Name</source>
        <translation>名称(&amp;N)</translation>
    </message>
    <message>
        <source>H&amp;ypothesis</source>
        <translation>假设(&amp;Y)</translation>
    </message>
    <message>
        <source>E&amp;xpected effect</source>
        <translation>预期效果(&amp;X)</translation>
    </message>
    <message>
        <source>&amp;Measure</source>
        <translation>指标(&amp;M)</translation>
    </message>
    <message>
        <source>Al&amp;so try</source>
        <translation>另试(&amp;S)</translation>
    </message>
    <message>
        <source>Split into two items</source>
        <translation>拆成两个条目</translation>
    </message>
    <message>
        <source>Allow, and mark as mixed</source>
        <translation>允许，并标为混合</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>One item changes one variable: what its effect comes from is known then.</source>
        <translation>一个条目只改一个变量：这样才知道效果从何而来。</translation>
    </message>
    <message>
        <source>From</source>
        <translation>从</translation>
    </message>
    <message>
        <source>from</source>
        <translation>从</translation>
    </message>
    <message>
        <source>To</source>
        <translation>到</translation>
    </message>
    <message>
        <source>to</source>
        <translation>到</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ItemList</name>
    <message>
        <source>all settings at their defaults</source>
        <translation>所有设置均为默认</translation>
    </message>
    <message>
        <source>an engine of its own</source>
        <translation>独立引擎</translation>
    </message>
    <message>
        <source>the running engine</source>
        <translation>运行中的引擎</translation>
    </message>
    <message>
        <source>%1 requests</source>
        <translation>%1 个请求</translation>
    </message>
    <message>
        <source>0  Baseline</source>
        <translation>0  基线</translation>
    </message>
    <message>
        <source>Items</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>Ins adds an item, Enter measures it, K keeps it, R reverts it; Ctrl+Z takes the last change back</source>
        <translation>Ins 添加，Enter 测量，K 保留，R 回退；Ctrl+Z 撤销上一步</translation>
    </message>
    <message>
        <source>Add item…</source>
        <translation>添加条目…</translation>
    </message>
    <message>
        <source>Add item… (Ins)</source>
        <translation>添加条目…（Ins）</translation>
    </message>
    <message>
        <source>Run all</source>
        <translation>全部运行</translation>
    </message>
    <message>
        <source>Measures the items that are not decided, one after another</source>
        <translation>依次测量尚未下结论的条目</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>报告…</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>未测量</translation>
    </message>
    <message>
        <source>Preparing item %1.</source>
        <translation>正在准备条目 %1。</translation>
    </message>
    <message>
        <source>Item %1, %2, repeat %3: %4 of %5 runs</source>
        <translation>条目 %1，%2，第 %3 次：%4 / %5 次运行</translation>
    </message>
    <message>
        <source>%1, about %2 left</source>
        <translation>%1，约剩 %2</translation>
    </message>
    <message>
        <source>Run sweep…</source>
        <translation>运行扫描…</translation>
    </message>
    <message>
        <source>Measures one setting over a list of values</source>
        <translation>用一组取值测量一项设置</translation>
    </message>
    <message>
        <source>settings of the items at their defaults, the rest as the engine runs</source>
        <translation>条目涉及的设置取默认值，其余与运行中的引擎相同</translation>
    </message>
    <message>
        <source>%1, the rest as the engine runs</source>
        <translation>%1，其余与运行中的引擎相同</translation>
    </message>
    <message>
        <source>Edit the checklist…</source>
        <translation>编辑清单…</translation>
    </message>
    <message numerus="yes">
        <source>%n repeats</source>
        <translation>
            <numerusform>%n 次重复</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ItemModel</name>
    <message>
        <source>%1 %2, %3</source>
        <translation>%1 %2，%3</translation>
    </message>
    <message>
        <source>Mixed: two variables or more in one item</source>
        <translation>混合：一个条目里有两个以上变量</translation>
    </message>
    <message>
        <source>Also tried: %1</source>
        <translation>另试过：%1</translation>
    </message>
    <message>
        <source>Expected: %1</source>
        <translation>预期：%1</translation>
    </message>
    <message>
        <source>The figures are those of %1 of %2 pairs of runs</source>
        <translation>数字只来自 %2 对运行中的 %1 对</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::JobStrip</name>
    <message>
        <source>%1 s left</source>
        <translation>剩 %1 s</translation>
    </message>
    <message>
        <source>%1 min left</source>
        <translation>剩 %1 分钟</translation>
    </message>
    <message>
        <source>%1 h left</source>
        <translation>剩 %1 小时</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>%1, %2, %3</source>
        <translation>%1，%2，%3</translation>
    </message>
    <message numerus="yes">
        <source>%1, %n more</source>
        <translation>
            <numerusform>%1，另有 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancel %1</source>
        <translation>取消 %1</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::KeyField</name>
    <message>
        <source>Press a key</source>
        <translation>按下一个键</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::LineChart</name>
    <message>
        <source>%1 against %2</source>
        <translation>%1，横轴：%2</translation>
    </message>
    <message>
        <source>%1, log</source>
        <translation>%1，对数</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>%1: no data yet.</source>
        <translation>%1：尚无数据。</translation>
    </message>
    <message>
        <source>%1, %2: %3; largest %4 at %5.</source>
        <translation>%1，%2：%3；最大 %4，位于 %5。</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>s since %1</source>
        <translation>自 %1 起的秒数</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>Lap %1 at %2.</source>
        <translation>圈次 %1 位于 %2。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::LiveView</name>
    <message>
        <source>Newest requests</source>
        <translation>最新请求</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>newest first</source>
        <translation>新的在前</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Requests %1</source>
        <translation>请求 %1</translation>
    </message>
    <message>
        <source>Charts, steps, requests or log</source>
        <translation>图表、步、请求或日志</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::LoadDialog</name>
    <message>
        <source>Load test</source>
        <translation>压测</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>个请求</translation>
    </message>
    <message>
        <source>How many are sent in all.</source>
        <translation>总共发送多少个。</translation>
    </message>
    <message>
        <source>At once</source>
        <translation>同时</translation>
    </message>
    <message>
        <source>Others wait until one of them has ended.</source>
        <translation>其余的等其中一个结束。</translation>
    </message>
    <message>
        <source>Rate</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>requests/s</source>
        <translation>请求/s</translation>
    </message>
    <message>
        <source>Empty: as the workload says.</source>
        <translation>留空：按负载设定。</translation>
    </message>
    <message>
        <source>workload&apos;s</source>
        <translation>按负载</translation>
    </message>
    <message>
        <source>Start load</source>
        <translation>开始压测</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>%1 requests/s</source>
        <translation>%1 请求/s</translation>
    </message>
    <message>
        <source>all at once</source>
        <translation>一次全发</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::LoadStrip</name>
    <message>
        <source>Load test, share that has ended</source>
        <translation>压测，已结束的份额</translation>
    </message>
    <message>
        <source>Load %1</source>
        <translation>压测 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n requests</source>
        <translation>
            <numerusform>%n 个请求</numerusform>
        </translation>
    </message>
    <message>
        <source>Load %1: %2 tok/s, TTFT p50 %3, TPOT p50 %4, %5 failed.</source>
        <translation>压测 %1：%2 token/s，TTFT p50 %3，TPOT p50 %4，失败 %5。</translation>
    </message>
    <message>
        <source>Open %1</source>
        <translation>打开 %1</translation>
    </message>
    <message>
        <source>Load %1: warming up</source>
        <translation>压测 %1：预热中</translation>
    </message>
    <message>
        <source>Load %1: %2 of %3 ended, %4 running</source>
        <translation>压测 %1：%3 个中 %2 个已结束，%4 个运行中</translation>
    </message>
    <message>
        <source>, △ %1 failed</source>
        <translation>，△ 失败 %1</translation>
    </message>
    <message>
        <source>Cancel load test</source>
        <translation>取消压测</translation>
    </message>
    <message>
        <source>Load %1: warming up, %2 of %3 requests ended</source>
        <translation>压测 %1：预热中，已结束 %2 / %3 个请求</translation>
    </message>
    <message>
        <source>Load %1, warming up</source>
        <translation>压测 %1，预热中</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::LogView</name>
    <message>
        <source>detail</source>
        <translation>详细</translation>
    </message>
    <message>
        <source>info</source>
        <translation>信息</translation>
    </message>
    <message>
        <source>△ warning</source>
        <translation>△ 警告</translation>
    </message>
    <message>
        <source>✕ error</source>
        <translation>✕ 错误</translation>
    </message>
    <message>
        <source>Least level</source>
        <translation>最低级别</translation>
    </message>
    <message>
        <source>Lines of this level and worse are shown.</source>
        <translation>显示此级别及更严重的行。</translation>
    </message>
    <message>
        <source>All lines</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Without details</source>
        <translation>不含详细</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>警告和错误</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>搜索日志</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copies the lines that are shown.</source>
        <translation>复制显示的行。</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>What happened</source>
        <translation>发生了什么</translation>
    </message>
    <message>
        <source>Nothing was written yet.</source>
        <translation>尚无记录。</translation>
    </message>
    <message>
        <source>%1 of %2 lines</source>
        <translation>%1 / %2 行</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::MainWindow</name>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Go to %1</source>
        <translation>转到%1</translation>
    </message>
    <message>
        <source>Why do streams stutter when a long prompt comes in? Answer with a short list.</source>
        <translation>长提示词进来时，为什么其他流会卡顿？用简短的列表回答。</translation>
    </message>
    <message>
        <source>The layout is as shipped. Dividers follow at the next start.</source>
        <translation>布局已恢复出厂。分隔条在下次启动时恢复。</translation>
    </message>
    <message>
        <source>No page opens %1. Drop a .gguf file, a folder with config.json and safetensors, a config.json or an exported run.</source>
        <translation>没有页面能打开 %1。请拖入 .gguf 文件、含 config.json 和 safetensors 的文件夹、config.json 或导出的运行。</translation>
    </message>
    <message>
        <source>One model is opened at a time. Left out: %1.</source>
        <translation>一次只打开一个模型。未打开：%1。</translation>
    </message>
    <message>
        <source>%1 is an address. Fetch the model first; it then stands in the list of Serve.</source>
        <translation>%1 是网址。请先下载模型，之后它会出现在“服务”页的列表中。</translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation>复制命令</translation>
    </message>
    <message>
        <source>Quit and close the window</source>
        <translation>退出并关闭窗口</translation>
    </message>
    <message>
        <source>There is nothing at %1. Look at the name and the drive.</source>
        <translation>%1 不存在。请检查名称和磁盘。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::MarkdownView</name>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::MeasuredRuns</name>
    <message>
        <source>now</source>
        <translation>当前</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::MemoryBar</name>
    <message>
        <source>Memory bar</source>
        <translation>内存条</translation>
    </message>
    <message>
        <source>; limit %1</source>
        <translation>；上限 %1</translation>
    </message>
    <message>
        <source>; device %1</source>
        <translation>；设备 %1</translation>
    </message>
    <message>
        <source>This process, %1 of the device</source>
        <translation>本进程，占设备 %1</translation>
    </message>
    <message>
        <source>device %1</source>
        <translation>设备 %1</translation>
    </message>
    <message>
        <source>limit %1</source>
        <translation>上限 %1</translation>
    </message>
    <message>
        <source>%1: %2, %3 bytes</source>
        <translation>%1：%2，%3 字节</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::MemoryCard</name>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Where is the memory?</source>
        <translation>内存用在哪里？</translation>
    </message>
    <message>
        <source>Booked %1 · system says %2</source>
        <translation>账面 %1 · 系统报告 %2</translation>
    </message>
    <message>
        <source>Planned %1 · %2</source>
        <translation>计划 %1 · %2</translation>
    </message>
    <message>
        <source> · headroom %1</source>
        <translation> · 余量 %1</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::MemoryTable</name>
    <message>
        <source>Memory by category</source>
        <translation>按类别的内存</translation>
    </message>
    <message>
        <source> (planned %1)</source>
        <translation>（计划 %1）</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Booked</source>
        <translation>账面</translation>
    </message>
    <message>
        <source>Diff</source>
        <translation>差值</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::MessageBox</name>
    <message>
        <source>Go to Serve</source>
        <translation>转到“服务”</translation>
    </message>
    <message>
        <source>The message has %1 characters; up to %2 can be sent.</source>
        <translation>消息有 %1 个字符，最多可发送 %2 个。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Send again</source>
        <translation>重新发送</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Stop this reply (Esc)</source>
        <translation>停止这条回复（Esc）</translation>
    </message>
    <message>
        <source>Send (Ctrl+Enter)</source>
        <translation>发送（Ctrl+Enter）</translation>
    </message>
    <message>
        <source>Esc stops</source>
        <translation>Esc 停止</translation>
    </message>
    <message>
        <source>Ctrl+Enter sends</source>
        <translation>Ctrl+Enter 发送</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>正在加载模型…</translation>
    </message>
    <message>
        <source>Loading the model: %1</source>
        <translation>正在加载模型：%1</translation>
    </message>
    <message>
        <source>The engine is stopping.</source>
        <translation>引擎正在停止。</translation>
    </message>
    <message>
        <source>The engine did not start. What you send is saved.</source>
        <translation>引擎未能启动。发送的内容会保存。</translation>
    </message>
    <message>
        <source>No model is serving. What you send is saved.</source>
        <translation>没有模型在服务。发送的内容会保存。</translation>
    </message>
    <message>
        <source>%1 tokens of context</source>
        <translation>上下文 %1 token</translation>
    </message>
    <message>
        <source>%1 of %2 tokens in context</source>
        <translation>上下文 %1 / %2 token</translation>
    </message>
    <message>
        <source>%1 tokens in context</source>
        <translation>上下文已用 %1 token</translation>
    </message>
    <message>
        <source>&amp;Attach text…</source>
        <translation>附上文本(&amp;A)…</translation>
    </message>
    <message>
        <source>Attach text</source>
        <translation>附上文本</translation>
    </message>
    <message>
        <source>Send text files with the message. They can be dropped here too.</source>
        <translation>随消息发送文本文件。也可以拖到这里。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation>发送（Enter）</translation>
    </message>
    <message>
        <source>Sent when the model has loaded</source>
        <translation>模型加载后发送</translation>
    </message>
    <message>
        <source>The message gets another version</source>
        <translation>消息将有另一个版本</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter begins a line</source>
        <translation>Enter 发送，Shift+Enter 换行</translation>
    </message>
    <message>
        <source>A file is being read</source>
        <translation>正在读取文件</translation>
    </message>
    <message>
        <source>△ %1 tokens with this message, more than the %2 of the context</source>
        <translation>△ 加上这条消息共 %1 token，超过上下文的 %2 token</translation>
    </message>
    <message>
        <source>%1 of %2 tokens in context with this message</source>
        <translation>加上这条消息，上下文 %1 / %2 token</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::MessageInput</name>
    <message>
        <source>Write a message</source>
        <translation>输入消息</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Ctrl+Enter sends</source>
        <translation>Ctrl+Enter 发送</translation>
    </message>
    <message>
        <source>The pasted text has %1 characters; a message takes up to %2. Nothing was pasted.</source>
        <translation>粘贴的文字有 %1 个字符，一条消息最多 %2 个。没有粘贴。</translation>
    </message>
    <message>
        <source>Enter sends, Shift+Enter begins a line</source>
        <translation>Enter 发送，Shift+Enter 换行</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::MessageView</name>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>回复</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Regenerate</source>
        <translation>重新生成</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy this message</source>
        <translation>复制这条消息</translation>
    </message>
    <message>
        <source>Copy this reply as Markdown</source>
        <translation>以 Markdown 复制这条回复</translation>
    </message>
    <message>
        <source>Your message</source>
        <translation>你的消息</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>全部显示</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Go to Serve</source>
        <translation>转到“服务”</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>复制详情</translation>
    </message>
    <message>
        <source>Show all %1 characters</source>
        <translation>显示全部 %1 个字符</translation>
    </message>
    <message>
        <source>writing</source>
        <translation>生成中</translation>
    </message>
    <message>
        <source>✕ failed</source>
        <translation>✕ 失败</translation>
    </message>
    <message>
        <source>△ incomplete: stopped</source>
        <translation>△ 不完整：已停止</translation>
    </message>
    <message>
        <source>△ incomplete: cut off</source>
        <translation>△ 不完整：被中断</translation>
    </message>
    <message>
        <source>The program ended while this reply was written. What had come by then was kept.</source>
        <translation>生成这条回复时程序退出。已收到的部分已保留。</translation>
    </message>
    <message>
        <source>Earlier version</source>
        <translation>较早版本</translation>
    </message>
    <message>
        <source>Earlier version (Alt+Left)</source>
        <translation>较早版本（Alt+Left）</translation>
    </message>
    <message>
        <source>Later version</source>
        <translation>较晚版本</translation>
    </message>
    <message>
        <source>Later version (Alt+Right)</source>
        <translation>较晚版本（Alt+Right）</translation>
    </message>
    <message>
        <source>Send another version of this message (E)</source>
        <translation>发送这条消息的另一个版本（E）</translation>
    </message>
    <message>
        <source>Write another version of this reply (Ctrl+R)</source>
        <translation>生成这条回复的另一个版本（Ctrl+R）</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete this and what follows it; Ctrl+Z brings it back</source>
        <translation>删除这条及其后的内容；Ctrl+Z 可恢复</translation>
    </message>
    <message>
        <source>Shorten to fit</source>
        <translation>缩短以放下</translation>
    </message>
    <message>
        <source>Asks without the oldest messages, and without the middle of a message that is too long. The chat itself stays as it is.</source>
        <translation>提问时略去最旧的消息和过长消息的中段。对话本身不变。</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ModelCard</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Choose a model to see what its header says.</source>
        <translation>选择模型以查看其文件头。</translation>
    </message>
    <message>
        <source>Reading the header…</source>
        <translation>正在读取文件头…</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ModelChooser</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>The model to serve.</source>
        <translation>要服务的模型。</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>No model chosen</source>
        <translation>未选模型</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>打开模型</translation>
    </message>
    <message>
        <source>Models (*.gguf config.json);;All files (*)</source>
        <translation>模型 (*.gguf config.json);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ModelList</name>
    <message>
        <source>%1, a link to %2</source>
        <translation>%1，链接到 %2</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>加载中</translation>
    </message>
    <message>
        <source>Share of the load that is done</source>
        <translation>加载进度</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>What do you want to serve?</source>
        <translation>要服务哪个模型？</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>No model found. Open a .gguf file or a folder with config.json and safetensors, or fetch one of those below; SmolLM2 is a small one to start with.</source>
        <translation>没有找到模型。打开 .gguf 文件，或含 config.json 和 safetensors 的文件夹，或下载下方的模型；SmolLM2 较小，适合入门。</translation>
    </message>
    <message>
        <source>Serve this</source>
        <translation>服务此模型</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>A .gguf file or a model folder can be dropped here.</source>
        <translation>可以把 .gguf 文件或模型文件夹拖到这里。</translation>
    </message>
    <message>
        <source>recent</source>
        <translation>最近</translation>
    </message>
    <message>
        <source>Loading %1</source>
        <translation>正在加载 %1</translation>
    </message>
    <message>
        <source>%1, %2 of %3</source>
        <translation>%1，%2 / %3</translation>
    </message>
    <message>
        <source>△ missing</source>
        <translation>△ 缺失</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>正在查找模型…</translation>
    </message>
    <message>
        <source>△ unfit</source>
        <translation>△ 不可用</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::MoreFields</name>
    <message>
        <source>the engine&apos;s sizes</source>
        <translation>引擎自定大小</translation>
    </message>
    <message>
        <source>1, 2, 4 … %1</source>
        <translation>1, 2, 4 … %1</translation>
    </message>
    <message>
        <source>%1 weights</source>
        <translation>%1 权重</translation>
    </message>
    <message>
        <source>%1 stages</source>
        <translation>%1 级</translation>
    </message>
    <message>
        <source>blocks of %1</source>
        <translation>块大小 %1</translation>
    </message>
    <message>
        <source>no graphs</source>
        <translation>无 CUDA 图</translation>
    </message>
    <message>
        <source>graphs %1</source>
        <translation>CUDA 图 %1</translation>
    </message>
    <message>
        <source>%1 + %2 tokens</source>
        <translation>%1 + %2 token</translation>
    </message>
    <message>
        <source>others hold %1</source>
        <translation>其他进程占 %1</translation>
    </message>
    <message>
        <source>no prefix cache</source>
        <translation>无前缀缓存</translation>
    </message>
    <message>
        <source>prompt logprobs</source>
        <translation>提示词 logprobs</translation>
    </message>
    <message>
        <source>draft layers</source>
        <translation>草稿层</translation>
    </message>
    <message>
        <source>More</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>Shows what is seldom changed.</source>
        <translation>显示很少改动的项。</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Number format of the weights; another than the checkpoint&apos;s is computed, and needs another checkpoint.</source>
        <translation>权重的数值格式；与检查点不同时为计算值，实际需要另一个检查点。</translation>
    </message>
    <message>
        <source>as the model</source>
        <translation>随模型</translation>
    </message>
    <message>
        <source>Graphs</source>
        <translation>CUDA 图</translation>
    </message>
    <message>
        <source>Batch sizes whose steps are captured; each holds memory, none costs time.</source>
        <translation>捕获哪些批大小的步；每个都占显存，不耗时间。</translation>
    </message>
    <message>
        <source>by p50</source>
        <translation>按 p50</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>Pipeline stages</source>
        <translation>流水线级数</translation>
    </message>
    <message>
        <source>Parts of the layers, each on its own GPUs: tensor parallel × stages make a replica.</source>
        <translation>把层分成几段，各用各的 GPU：张量并行 × 级数为一个副本。</translation>
    </message>
    <message>
        <source>Block size</source>
        <translation>块大小</translation>
    </message>
    <message>
        <source>Tokens of KV that are handed out together; the last block of a sequence is half empty.</source>
        <translation>一次分配的 KV token 数；序列的最后一块平均空一半。</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Of a typical request, for times; empty: three quarters of p50.</source>
        <translation>典型请求的长度，用于算时间；留空：p50 的四分之三。</translation>
    </message>
    <message>
        <source>Reply</source>
        <translation>回复</translation>
    </message>
    <message>
        <source>Of a typical request, for times; empty: a quarter of p50.</source>
        <translation>典型请求的长度，用于算时间；留空：p50 的四分之一。</translation>
    </message>
    <message>
        <source>Prompt, reply</source>
        <translation>提示词，回复</translation>
    </message>
    <message>
        <source>Other processes</source>
        <translation>其他进程</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
    <message>
        <source>Memory that others hold on each GPU.</source>
        <translation>其他进程在每块 GPU 上占用的显存。</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>前缀缓存</translation>
    </message>
    <message>
        <source>What all requests share is computed and kept once.</source>
        <translation>所有请求共有的部分只计算和保留一份。</translation>
    </message>
    <message>
        <source>Prompt logprobs</source>
        <translation>提示词 logprobs</translation>
    </message>
    <message>
        <source>Requests may ask for them, which takes logits of whole steps.</source>
        <translation>请求可以索取，这需要整步的 logits。</translation>
    </message>
    <message>
        <source>Draft layers (MTP)</source>
        <translation>草稿层（MTP）</translation>
    </message>
    <message>
        <source>The model&apos;s own draft layers are loaded.</source>
        <translation>加载模型自带的草稿层。</translation>
    </message>
    <message>
        <source>More: %1</source>
        <translation>更多：%1</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>expert parallel</source>
        <translation>专家并行</translation>
    </message>
    <message>
        <source>Expert parallel</source>
        <translation>专家并行</translation>
    </message>
    <message>
        <source>Replicas share the experts of a layer, and each has a copy of the rest.</source>
        <translation>各副本共用一层的专家，其余部分各有一份。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::NumberField</name>
    <message>
        <source>%1. %2</source>
        <translation>%1。%2</translation>
    </message>
    <message>
        <source>%1 is not between %2 and %3.</source>
        <translation>%1 不在 %2 与 %3 之间。</translation>
    </message>
    <message>
        <source>“%1” is not a number.</source>
        <translation>“%1”不是数字。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::Page</name>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::PlanAnswer</name>
    <message>
        <source>Alternatives</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>predicted, %1</source>
        <translation>预测，%1</translation>
    </message>
    <message>
        <source>Which deployment serves this demand? %1 of %2 pinned, all predicted</source>
        <translation>哪种部署能满足这份需求？已固定 %1 / %2，均为预测</translation>
    </message>
    <message>
        <source>Planned in %1.</source>
        <translation>规划用时 %1。</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>Nothing needs to change: the demand fits.</source>
        <translation>无需改动：需求放得下。</translation>
    </message>
    <message>
        <source>No single change makes %1 fit.</source>
        <translation>没有哪项单独的改动能让 %1 放得下。</translation>
    </message>
    <message>
        <source>Times are means by the kernel rates of %1, ± %2 %.</source>
        <translation>时间为均值（算子速率：%1），± %2 %。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::PlanCharts</name>
    <message>
        <source>Requests that fit</source>
        <translation>可容请求数</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>token/s</translation>
    </message>
    <message>
        <source>Where is the knee?</source>
        <translation>拐点在哪里？</translation>
    </message>
    <message>
        <source>predicted, %1</source>
        <translation>预测，%1</translation>
    </message>
    <message>
        <source>Not one request fits, however short it is</source>
        <translation>再短的请求也放不下</translation>
    </message>
    <message>
        <source>No request fits: nothing runs, so no times</source>
        <translation>没有请求放得下：无法运行，也就没有用时</translation>
    </message>
    <message>
        <source>against tokens, log</source>
        <translation>横轴：token，对数</translation>
    </message>
    <message>
        <source>Where does KV end?</source>
        <translation>KV 到哪里用尽？</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::PlanForm</name>
    <message>
        <source>Deployment</source>
        <translation>部署</translation>
    </message>
    <message>
        <source>Deployment and demand</source>
        <translation>部署与需求</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Whose layers and weights are counted.</source>
        <translation>按它的层和权重计算。</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Whose memory and speed are counted with.</source>
        <translation>按它的显存和速度计算。</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU 数</translation>
    </message>
    <message>
        <source>All that serve this model, replicas included.</source>
        <translation>服务此模型的全部 GPU，含副本。</translation>
    </message>
    <message>
        <source>Tensor parallel</source>
        <translation>张量并行</translation>
    </message>
    <message>
        <source>GPUs that share each layer; the rest are replicas.</source>
        <translation>共同承载每一层的 GPU 数；其余为副本。</translation>
    </message>
    <message>
        <source>GPUs and ranks</source>
        <translation>GPU 与 rank</translation>
    </message>
    <message>
        <source>KV cache dtype</source>
        <translation>KV 缓存格式</translation>
    </message>
    <message>
        <source>Bytes of each number that a token leaves behind.</source>
        <translation>token 留下的每个数所占字节。</translation>
    </message>
    <message>
        <source>Demand</source>
        <translation>需求</translation>
    </message>
    <message>
        <source>Requests at once</source>
        <translation>并发请求</translation>
    </message>
    <message>
        <source>Max length</source>
        <translation>最大长度</translation>
    </message>
    <message>
        <source>That the deployment has to hold at p95 length.</source>
        <translation>部署须同时容纳的 p95 长度请求数。</translation>
    </message>
    <message>
        <source>Longest sequence that is accepted, prompt and reply.</source>
        <translation>可接受的最长序列，含提示词和回复。</translation>
    </message>
    <message>
        <source>model&apos;s</source>
        <translation>随模型</translation>
    </message>
    <message>
        <source>Length p50</source>
        <translation>长度 p50</translation>
    </message>
    <message>
        <source>Half of the requests are no longer, prompt and reply.</source>
        <translation>半数请求不超过此长度，含提示词和回复。</translation>
    </message>
    <message>
        <source>as p95</source>
        <translation>同 p95</translation>
    </message>
    <message>
        <source>Length p95</source>
        <translation>长度 p95</translation>
    </message>
    <message>
        <source>19 of 20 requests are no longer, prompt and reply.</source>
        <translation>20 个请求中 19 个不超过此长度，含提示词和回复。</translation>
    </message>
    <message>
        <source>as max</source>
        <translation>同最大</translation>
    </message>
    <message>
        <source>Length p50, p95</source>
        <translation>长度 p50，p95</translation>
    </message>
    <message>
        <source>Shared prefix</source>
        <translation>共享前缀</translation>
    </message>
    <message>
        <source>At the front of all requests, kept once.</source>
        <translation>在所有请求开头，只保留一份。</translation>
    </message>
    <message>
        <source>Sequences at most</source>
        <translation>序列上限</translation>
    </message>
    <message>
        <source>max-num-seqs: more than these wait, whatever memory says.</source>
        <translation>max-num-seqs：超出的一律等待，不论显存是否够。</translation>
    </message>
    <message>
        <source>Step tokens</source>
        <translation>每步 token</translation>
    </message>
    <message>
        <source>max-num-batched-tokens: what one step computes at most.</source>
        <translation>max-num-batched-tokens：一步最多计算多少。</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>限制</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Mean TTFT at most</source>
        <translation>平均 TTFT 上限</translation>
    </message>
    <message>
        <source>seconds</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>Mean time to the first token that is accepted; percentiles are not predicted. Empty for none.</source>
        <translation>可接受的首个 token 平均耗时；不预测百分位。留空为不限。</translation>
    </message>
    <message>
        <source>s</source>
        <translation>s</translation>
    </message>
    <message>
        <source>Mean TPOT at most</source>
        <translation>平均 TPOT 上限</translation>
    </message>
    <message>
        <source>milliseconds</source>
        <translation>毫秒</translation>
    </message>
    <message>
        <source>Mean time between tokens that is accepted; percentiles are not predicted. Empty for none.</source>
        <translation>可接受的 token 间平均时间；不预测百分位。留空为不限。</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>Memory limit means</source>
        <translation>显存上限的含义</translation>
    </message>
    <message>
        <source>Engines differ in what a fraction is a fraction of.</source>
        <translation>各引擎的“比例”以什么为基数并不相同。</translation>
    </message>
    <message>
        <source>What the engine takes by itself</source>
        <translation>引擎自行决定</translation>
    </message>
    <message>
        <source>Bytes for this process</source>
        <translation>本进程的字节数</translation>
    </message>
    <message>
        <source>Share of the whole card</source>
        <translation>占整卡的比例</translation>
    </message>
    <message>
        <source>KV&apos;s share of what is free after load</source>
        <translation>KV 占加载后空闲的比例</translation>
    </message>
    <message>
        <source>Bytes for KV alone</source>
        <translation>仅 KV 的字节数</translation>
    </message>
    <message>
        <source>All but a margin</source>
        <translation>留出余量后全部</translation>
    </message>
    <message>
        <source>Memory limit</source>
        <translation>显存上限</translation>
    </message>
    <message>
        <source>Of each GPU.</source>
        <translation>每块 GPU。</translation>
    </message>
    <message>
        <source>Bytes per token</source>
        <translation>每 token 字节</translation>
    </message>
    <message>
        <source>Serve this</source>
        <translation>用它服务</translation>
    </message>
    <message>
        <source>Hands these settings to the Serve page.</source>
        <translation>把这些设置交给“服务”页。</translation>
    </message>
    <message>
        <source>Save as deployment…</source>
        <translation>存为部署…</translation>
    </message>
    <message>
        <source>Keeps these settings under a name.</source>
        <translation>以一个名称保存这些设置。</translation>
    </message>
    <message>
        <source>Ctrl+S</source>
        <translation>Ctrl+S</translation>
    </message>
    <message>
        <source>TP %1</source>
        <translation>TP %1</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
    <message>
        <source>Limit %1 of %2 on each GPU.</source>
        <translation>每块 GPU 上限 %1 / %2。</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Enter</translation>
    </message>
    <message>
        <source>Share of the card for weights and KV</source>
        <translation>权重和 KV 占整卡的比例</translation>
    </message>
    <message>
        <source>KV&apos;s share of what the weights leave</source>
        <translation>KV 占权重之外的比例</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Open a GGUF or config.json…</source>
        <translation>打开 GGUF 或 config.json…</translation>
    </message>
    <message>
        <source>Not known without the model&apos;s layers.</source>
        <translation>不知道模型的层，无法得出。</translation>
    </message>
    <message>
        <source>Only what can be planned is saved.</source>
        <translation>只有能规划的才能保存。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::PlanPage</name>
    <message>
        <source>Reading the headers of %1, %2</source>
        <translation>正在读取 %1 的文件头，%2</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>正在读取 %1</translation>
    </message>
    <message>
        <source>Form or answer</source>
        <translation>表单或结果</translation>
    </message>
    <message>
        <source>Deployment</source>
        <translation>部署</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Read a command line…</source>
        <translation>读取命令行…</translation>
    </message>
    <message>
        <source>Tuning recipe…</source>
        <translation>调优配方…</translation>
    </message>
    <message>
        <source>Flags for other engines…</source>
        <translation>其他引擎的参数…</translation>
    </message>
    <message>
        <source>Pin this</source>
        <translation>固定此方案</translation>
    </message>
    <message>
        <source>Serve this</source>
        <translation>用它服务</translation>
    </message>
    <message>
        <source>Save as deployment…</source>
        <translation>存为部署…</translation>
    </message>
    <message>
        <source>Plan another model…</source>
        <translation>规划其他模型…</translation>
    </message>
    <message>
        <source>Previous alternative</source>
        <translation>上一个方案</translation>
    </message>
    <message>
        <source>Next alternative</source>
        <translation>下一个方案</translation>
    </message>
    <message>
        <source>A saved deployment is left out. %1</source>
        <translation>略去一个已保存的部署。%1</translation>
    </message>
    <message>
        <source>There is no answer to serve.</source>
        <translation>没有可用于服务的结果。</translation>
    </message>
    <message>
        <source>This engine does not run %1.</source>
        <translation>本引擎不能运行 %1。</translation>
    </message>
    <message>
        <source>Unpin this</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>Measuring the speed of %1</source>
        <translation>正在测量 %1 的速度</translation>
    </message>
    <message>
        <source>Show header</source>
        <translation>显示文件头</translation>
    </message>
    <message>
        <source>Save as deployment</source>
        <translation>存为部署</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Plan a model</source>
        <translation>规划模型</translation>
    </message>
    <message>
        <source>Models (*.gguf config.json);;All files (*)</source>
        <translation>模型 (*.gguf config.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Header of %1</source>
        <translation>%1 的文件头</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>Saved as %1</source>
        <translation>已存为 %1</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::PlannedCard</name>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>KV pool</source>
        <translation>KV 池</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>Attention workspace</source>
        <translation>注意力工作区</translation>
    </message>
    <message>
        <source>Logits</source>
        <translation>logits</translation>
    </message>
    <message>
        <source>Library workspace</source>
        <translation>库工作区</translation>
    </message>
    <message>
        <source>Graphs</source>
        <translation>CUDA 图</translation>
    </message>
    <message>
        <source>Communicator</source>
        <translation>通信器</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>CUDA 上下文</translation>
    </message>
    <message>
        <source>Swap space</source>
        <translation>交换空间</translation>
    </message>
    <message>
        <source>Plans are made here for runs of the CPU; the Plan page makes the others.</source>
        <translation>这里只为 CPU 上的运行做规划；其他由“规划”页完成。</translation>
    </message>
    <message>
        <source>No plan: the model&apos;s file is not there any more.</source>
        <translation>无规划：模型文件已不在。</translation>
    </message>
    <message>
        <source>Memory, planned and measured</source>
        <translation>内存，计划与实测</translation>
    </message>
    <message>
        <source>Planned</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Memory by category</source>
        <translation>按类别的内存</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>Diff</source>
        <translation>差值</translation>
    </message>
    <message>
        <source>This run has no ledger of its memory.</source>
        <translation>本次运行没有内存账目。</translation>
    </message>
    <message>
        <source>The plan is made now, from the run&apos;s settings and the model&apos;s header.</source>
        <translation>规划是现在按运行的设置和模型的文件头做出的。</translation>
    </message>
    <message>
        <source>limit %1</source>
        <translation>上限 %1</translation>
    </message>
    <message>
        <source>Accounted</source>
        <translation>已计入</translation>
    </message>
    <message>
        <source>Unaccounted</source>
        <translation>未计入</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>Memory, simulated</source>
        <translation>内存，模拟</translation>
    </message>
    <message>
        <source>Memory, measured</source>
        <translation>内存，实测</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::PrefixCard</name>
    <message>
        <source>first seen</source>
        <translation>首次出现</translation>
    </message>
    <message>
        <source>diverged at a token</source>
        <translation>中途 token 不同</translation>
    </message>
    <message>
        <source>shorter than one block</source>
        <translation>不足一个块</translation>
    </message>
    <message>
        <source>evicted</source>
        <translation>被逐出</translation>
    </message>
    <message>
        <source>being computed</source>
        <translation>正在计算</translation>
    </message>
    <message>
        <source>other salt</source>
        <translation>salt 不同</translation>
    </message>
    <message>
        <source>last block, always computed</source>
        <translation>末块，总要计算</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>前缀缓存</translation>
    </message>
    <message>
        <source>Why do the others miss?</source>
        <translation>其余为何未命中？</translation>
    </message>
    <message>
        <source>Prompt tokens of the requests that run and of the last 200 that ended.</source>
        <translation>运行中以及最近结束的 200 个请求的提示词 token。</translation>
    </message>
    <message>
        <source>Prefix cache, share of prompt tokens</source>
        <translation>前缀缓存，占提示词 token 的份额</translation>
    </message>
    <message>
        <source>of %1 tokens</source>
        <translation>共 %1 token</translation>
    </message>
    <message>
        <source>hit</source>
        <translation>命中</translation>
    </message>
    <message>
        <source>The prefix cache is off: enable-prefix-caching.</source>
        <translation>前缀缓存已关闭：enable-prefix-caching。</translation>
    </message>
    <message>
        <source>No request yet.</source>
        <translation>尚无请求。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::PresetBox</name>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Sampling, and with some presets a system prompt</source>
        <translation>采样参数，有些预设还含系统提示词</translation>
    </message>
    <message>
        <source>Save preset…</source>
        <translation>保存预设…</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Name of the preset</source>
        <translation>预设名称</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>own settings</source>
        <translation>自定设置</translation>
    </message>
    <message>
        <source>Another preset is called “%1”. Choose another name.</source>
        <translation>已有名为“%1”的预设。请换个名称。</translation>
    </message>
    <message>
        <source>A preset needs a name.</source>
        <translation>预设需要名称。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::Rail</name>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::RankBars</name>
    <message>
        <source>KV pool</source>
        <translation>KV 池</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>KV needed</source>
        <translation>KV 需求</translation>
    </message>
    <message>
        <source>KV free</source>
        <translation>KV 空闲</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>Workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>Graphs</source>
        <translation>CUDA 图</translation>
    </message>
    <message>
        <source>Communicator</source>
        <translation>通信器</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>CUDA 上下文</translation>
    </message>
    <message>
        <source>Other processes</source>
        <translation>其他进程</translation>
    </message>
    <message>
        <source>Over the limit by %1: it does not start</source>
        <translation>超出上限 %1：无法启动</translation>
    </message>
    <message>
        <source>KV short by %1: %2 of %3 requests at p95</source>
        <translation>KV 缺 %1：p95 长度只容 %3 个请求中的 %2 个</translation>
    </message>
    <message>
        <source>Fails: not one request of full length fits</source>
        <translation>放不下：连一个最大长度的请求也容不下</translation>
    </message>
    <message>
        <source>Memory per rank</source>
        <translation>每 rank 显存</translation>
    </message>
    <message>
        <source>GiB, predicted</source>
        <translation>GiB，预测</translation>
    </message>
    <message>
        <source>Does it fit?</source>
        <translation>放得下吗？</translation>
    </message>
    <message>
        <source>Category</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>%1 GiB</source>
        <translation>%1 GiB</translation>
    </message>
    <message>
        <source>Measured GiB</source>
        <translation>实测 GiB</translation>
    </message>
    <message>
        <source>Diff</source>
        <translation>差值</translation>
    </message>
    <message>
        <source>Measured less planned; amber above 2 % of the device</source>
        <translation>实测减计划；超过设备的 2 % 时为琥珀色</translation>
    </message>
    <message>
        <source>%1: total %2 of limit %3 GiB, %4.</source>
        <translation>%1：合计 %2，上限 %3 GiB，%4。</translation>
    </message>
    <message>
        <source>fits</source>
        <translation>放得下</translation>
    </message>
    <message>
        <source>Unaccounted</source>
        <translation>未计入</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Limit</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>%1 of %2 requests wait: max-num-seqs is %3</source>
        <translation>%2 个请求中有 %1 个等待：max-num-seqs 为 %3</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::RankBarsView</name>
    <message>
        <source>one rank</source>
        <translation>单 rank</translation>
    </message>
    <message>
        <source>each of %1 ranks</source>
        <translation>共 %1 个 rank，每个</translation>
    </message>
    <message>
        <source>rank %1</source>
        <translation>rank %1</translation>
    </message>
    <message>
        <source>%1 rank %2, worst of %3</source>
        <translation>%1 rank %2，%3 个中最紧</translation>
    </message>
    <message>
        <source>total %1</source>
        <translation>合计 %1</translation>
    </message>
    <message>
        <source>KV pool %1</source>
        <translation>KV 池 %1</translation>
    </message>
    <message>
        <source>%1 = %2 tokens</source>
        <translation>%1 = %2 token</translation>
    </message>
    <message>
        <source>needed %1</source>
        <translation>需要 %1</translation>
    </message>
    <message>
        <source>%1 requests at p95 need %2</source>
        <translation>p95 长度 %1 个请求需 %2</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>limit %1</source>
        <translation>上限 %1</translation>
    </message>
    <message>
        <source>total %1, planned %2</source>
        <translation>合计 %1，计划 %2</translation>
    </message>
    <message>
        <source>%1: %2, %3 bytes</source>
        <translation>%1：%2，%3 字节</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::RecipeDialog</name>
    <message>
        <source>Tuning recipe</source>
        <translation>调优配方</translation>
    </message>
    <message>
        <source>Recipe</source>
        <translation>配方</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU 数</translation>
    </message>
    <message>
        <source>Whose speed the simulation has.</source>
        <translation>模拟采用它的速度。</translation>
    </message>
    <message>
        <source>simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>Steps, published beside simulated</source>
        <translation>各步骤，公布值与模拟值并列</translation>
    </message>
    <message>
        <source>Where simulation and source differ, and why</source>
        <translation>模拟与来源差在哪里，为什么</translation>
    </message>
    <message>
        <source>Steps simulated</source>
        <translation>已模拟的步骤</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Add step to the plan</source>
        <translation>把此步骤加入规划</translation>
    </message>
    <message>
        <source>The chosen step becomes an alternative of the page.</source>
        <translation>所选步骤成为页面上的一个方案。</translation>
    </message>
    <message>
        <source>%1 on %2, tensor parallel %3, step times of %4. Load: %5.</source>
        <translation>%1，%2，张量并行 %3，步时取自 %4。负载：%5。</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Simulate again</source>
        <translation>重新模拟</translation>
    </message>
    <message>
        <source>Simulating step %1 of %2: %3</source>
        <translation>正在模拟第 %1 / %2 步：%3</translation>
    </message>
    <message>
        <source>%1 of %2 steps simulated</source>
        <translation>已模拟 %1 / %2 步</translation>
    </message>
    <message>
        <source>“%1” stands in the plan, pinned</source>
        <translation>“%1”已固定在规划中</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::RecordsCard</name>
    <message>
        <source>Records</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Where are runs, chats and models kept?</source>
        <translation>运行、对话和模型存在哪里？</translation>
    </message>
    <message>
        <source>Runs, checklists, chats</source>
        <translation>运行、清单、对话</translation>
    </message>
    <message>
        <source>Their size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Open the folder of the records</source>
        <translation>打开记录所在文件夹</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ReportsPage</name>
    <message>
        <source>HTML…</source>
        <translation>HTML…</translation>
    </message>
    <message>
        <source>JSON…</source>
        <translation>JSON…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Edit the note</source>
        <translation>编辑备注</translation>
    </message>
    <message>
        <source>Search runs</source>
        <translation>搜索运行</translation>
    </message>
    <message>
        <source>Undo the deletion</source>
        <translation>撤销删除</translation>
    </message>
    <message>
        <source>Reading the runs…</source>
        <translation>正在读取运行记录…</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>No run yet. Each time the engine serves, a run is recorded: its settings, its requests and its figures second by second.</source>
        <translation>尚无运行记录。引擎每次服务都会记录一次运行：设置、请求和逐秒数字。</translation>
    </message>
    <message>
        <source>Go to Serve</source>
        <translation>转到“服务”</translation>
    </message>
    <message>
        <source>Export %1</source>
        <translation>导出 %1</translation>
    </message>
    <message>
        <source>Saved to %1</source>
        <translation>已保存到 %1</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Deleted %1.</source>
        <translation>已删除 %1。</translation>
    </message>
    <message>
        <source>Reports</source>
        <translation>报告</translation>
    </message>
    <message>
        <source>PDF…</source>
        <translation>PDF…</translation>
    </message>
    <message>
        <source>More…</source>
        <translation>更多…</translation>
    </message>
    <message>
        <source>Export in any format: Markdown, CSV, vLLM, AIPerf, Perfetto</source>
        <translation>以任意格式导出：Markdown、CSV、vLLM、AIPerf、Perfetto</translation>
    </message>
    <message>
        <source>Import a run</source>
        <translation>导入运行</translation>
    </message>
    <message>
        <source>Compare the marked runs</source>
        <translation>对比已标记的运行</translation>
    </message>
    <message>
        <source>%1 runs are marked: more cannot be compared. Space takes a mark away.</source>
        <translation>已标记 %1 次运行，不能再多。按 Space 取消标记。</translation>
    </message>
    <message>
        <source>Run a load test</source>
        <translation>运行压测</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>A comparison needs two runs. Mark them with Space, then press C.</source>
        <translation>对比需要两次运行。用 Space 标记后按 C。</translation>
    </message>
    <message>
        <source>“%1” does not say what to write. Its name must end in one of %2.</source>
        <translation>从“%1”看不出要写什么。文件名须以 %2 之一结尾。</translation>
    </message>
    <message>
        <source>Import runs</source>
        <translation>导入运行</translation>
    </message>
    <message>
        <source>Runs of Pitwall, vLLM or AIPerf (*.json *.jsonl);;All files (*)</source>
        <translation>Pitwall、vLLM 或 AIPerf 的运行 (*.json *.jsonl);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Imported %1 as %2.</source>
        <translation>已将 %1 导入为 %2。</translation>
    </message>
    <message>
        <source>%1 is here already: it is %2.</source>
        <translation>%1 已在此：就是 %2。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>%1 has not ended. Stop the engine first.</source>
        <translation>%1 尚未结束。请先停止引擎。</translation>
    </message>
    <message>
        <source>%1 stays: until the next start the records can only be read.</source>
        <translation>%1 保留：下次启动前记录只能读取。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::RequestCard</name>
    <message>
        <source>none: the last block is always computed</source>
        <translation>无：末块总要计算</translation>
    </message>
    <message>
        <source>the prefix cache is off</source>
        <translation>前缀缓存已关闭</translation>
    </message>
    <message>
        <source>shorter than one block</source>
        <translation>不足一个块</translation>
    </message>
    <message>
        <source>new text after token %1</source>
        <translation>第 %1 个 token 之后是新内容</translation>
    </message>
    <message>
        <source>first seen</source>
        <translation>首次出现</translation>
    </message>
    <message>
        <source>other text after token %1</source>
        <translation>第 %1 个 token 之后内容不同</translation>
    </message>
    <message>
        <source>evicted after token %1</source>
        <translation>第 %1 个 token 之后被逐出</translation>
    </message>
    <message>
        <source>cached under another salt</source>
        <translation>缓存在另一个 salt 下</translation>
    </message>
    <message>
        <source>another request was computing it</source>
        <translation>另一个请求正在计算</translation>
    </message>
    <message>
        <source>Last request</source>
        <translation>最近一次请求</translation>
    </message>
    <message>
        <source>Computed again?</source>
        <translation>重新计算了吗？</translation>
    </message>
    <message>
        <source>Share of prompt tokens</source>
        <translation>占提示词 token 的份额</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Computed</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Miss reason</source>
        <translation>未命中原因</translation>
    </message>
    <message>
        <source>KV blocks</source>
        <translation>KV 块</translation>
    </message>
    <message>
        <source>No reply in this chat yet.</source>
        <translation>此对话尚无回复。</translation>
    </message>
    <message>
        <source>cached</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>computed</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 token</translation>
    </message>
    <message>
        <source>%1 tokens in %2</source>
        <translation>%2 共 %1 token</translation>
    </message>
    <message>
        <source>%1 = %2</source>
        <translation>%1 = %2</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::RunList</name>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Search runs</source>
        <translation>搜索运行</translation>
    </message>
    <message>
        <source>Search runs (Ctrl+F)</source>
        <translation>搜索运行（Ctrl+F）</translation>
    </message>
    <message>
        <source>Kind of run</source>
        <translation>运行类型</translation>
    </message>
    <message>
        <source>All kinds</source>
        <translation>全部类型</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Newest first; Space marks a run for a comparison, Delete deletes a run, which can be undone</source>
        <translation>新的在前；Space 标记运行以供对比，Delete 删除运行，可以撤销</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>对比</translation>
    </message>
    <message>
        <source>Compare the marked runs (C); Space marks a run</source>
        <translation>对比已标记的运行（C）；Space 标记</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Compare %1</source>
        <translation>对比 %1</translation>
    </message>
    <message>
        <source>Space marks runs to compare · ended runs never change</source>
        <translation>Space 标记要对比的运行 · 已结束的运行不再改变</translation>
    </message>
    <message>
        <source>%1 of %2 marked · ended runs never change</source>
        <translation>已标记 %1 / %2 · 已结束的运行不再改变</translation>
    </message>
    <message>
        <source>Shows the runs with all of these words in name, model, kind, note or status</source>
        <translation>显示名称、模型、类型、备注或状态中含有所有这些词的运行</translation>
    </message>
    <message>
        <source>No run of this kind has all of these words</source>
        <translation>没有此类运行含有所有这些词</translation>
    </message>
    <message>
        <source>No run found · marked and not shown: %1</source>
        <translation>没有找到运行 · 已标记但未显示：%1</translation>
    </message>
    <message>
        <source>No run has all of these words</source>
        <translation>没有运行同时包含这些词</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::RunView</name>
    <message>
        <source>no request ended</source>
        <translation>没有请求结束</translation>
    </message>
    <message>
        <source>n ≤ %1: no p90 until n ≥ 20, no p99 until n ≥ 100</source>
        <translation>n ≤ %1：n ≥ 20 前不画 p90，n ≥ 100 前不画 p99</translation>
    </message>
    <message>
        <source>n ≤ %1: no p99 until n ≥ 100</source>
        <translation>n ≤ %1：n ≥ 100 前不画 p99</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Conditions</source>
        <translation>条件</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>ms, over the requests that ended</source>
        <translation>ms，按已结束的请求</translation>
    </message>
    <message>
        <source>No p90 under 20 samples, no p99 under 100.</source>
        <translation>不足 20 个样本没有 p90，不足 100 个没有 p99。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Copy command</source>
        <translation>复制命令</translation>
    </message>
    <message>
        <source>Copy the command that serves with these settings</source>
        <translation>复制用这些设置启动服务的命令</translation>
    </message>
    <message>
        <source>Add a note (F2)</source>
        <translation>添加备注（F2）</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Kept with the run; the run itself does not change</source>
        <translation>随运行保存；运行记录本身不变</translation>
    </message>
    <message>
        <source>ITL</source>
        <translation>ITL</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>Any stutter?</source>
        <translation>有卡顿吗？</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>How long to start?</source>
        <translation>多久开始？</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>How fast to write?</source>
        <translation>写得多快？</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>token/s</translation>
    </message>
    <message>
        <source>What got out?</source>
        <translation>产出多少？</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
    <message>
        <source>What grew?</source>
        <translation>什么增长了？</translation>
    </message>
    <message>
        <source>all at their defaults</source>
        <translation>均为默认</translation>
    </message>
    <message>
        <source>△ %1 changed</source>
        <translation>△ 改了 %1 项</translation>
    </message>
    <message>
        <source>%1, by worst ITL</source>
        <translation>%1 个，按最差 ITL</translation>
    </message>
    <message>
        <source>not recorded by second</source>
        <translation>没有逐秒记录</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>sha256, first 12</source>
        <translation>SHA-256，前 12 位</translation>
    </message>
    <message>
        <source>what an export writes</source>
        <translation>导出会写出什么</translation>
    </message>
    <message>
        <source>Being worked out…</source>
        <translation>正在计算…</translation>
    </message>
    <message>
        <source>the %1 with the longest gaps, of %2; scroll for more</source>
        <translation>%2 个中间隔最长的 %1 个；滚动查看更多</translation>
    </message>
    <message>
        <source>The same run gives the same bytes on every export.</source>
        <translation>同一次运行每次导出的字节都相同。</translation>
    </message>
    <message>
        <source>not in the list</source>
        <translation>不在列表中</translation>
    </message>
    <message>
        <source>The search or the kind leaves this run out.</source>
        <translation>搜索词或类型筛掉了此运行。</translation>
    </message>
    <message>
        <source>Not kept: %1</source>
        <translation>未保存：%1</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::RunsCdfChart</name>
    <message>
        <source>Distribution</source>
        <translation>分布</translation>
    </message>
    <message>
        <source>How bad is the worst?</source>
        <translation>最差有多差？</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>What the distribution shows</source>
        <translation>分布显示什么</translation>
    </message>
    <message>
        <source>Longest ITL</source>
        <translation>最长 ITL</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>End to end</source>
        <translation>端到端</translation>
    </message>
    <message>
        <source>ms, log</source>
        <translation>ms，对数</translation>
    </message>
    <message>
        <source>%1 · n = %2 · largest %3</source>
        <translation>%1 · n = %2 · 最大 %3</translation>
    </message>
    <message>
        <source>ITL</source>
        <translation>ITL</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 至 %2</translation>
    </message>
    <message>
        <source>%1 per chunk</source>
        <translation>%1，按数据块</translation>
    </message>
    <message>
        <source>%1: no request has samples of it</source>
        <translation>%1：没有请求有其样本</translation>
    </message>
    <message>
        <source>%1 · no samples: %2</source>
        <translation>%1 · 无样本：%2</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::SamplingPanel</name>
    <message>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>random</source>
        <translation>随机</translation>
    </message>
    <message>
        <source>&amp;Temperature</source>
        <translation>温度(&amp;T)</translation>
    </message>
    <message>
        <source>0 always takes the likeliest token; higher is more varied</source>
        <translation>0 总取最可能的 token；越高越多样</translation>
    </message>
    <message>
        <source>Top-&amp;p</source>
        <translation>Top-p(&amp;P)</translation>
    </message>
    <message>
        <source>Only the likeliest tokens that together have this probability; 1 keeps all</source>
        <translation>只取概率之和达到此值的最可能 token；1 为全部</translation>
    </message>
    <message>
        <source>Top-&amp;k</source>
        <translation>Top-k(&amp;K)</translation>
    </message>
    <message>
        <source>Only this many of the likeliest tokens; 0 keeps all</source>
        <translation>只取这么多个最可能的 token；0 为全部</translation>
    </message>
    <message>
        <source>&amp;Min-p</source>
        <translation>Min-p(&amp;M)</translation>
    </message>
    <message>
        <source>Only tokens with at least this share of the likeliest one&apos;s probability; 0 keeps all</source>
        <translation>只取概率不低于最可能者此比例的 token；0 为全部</translation>
    </message>
    <message>
        <source>&amp;Seed</source>
        <translation>种子(&amp;S)</translation>
    </message>
    <message>
        <source>The same seed gives the same reply; empty takes another one each time</source>
        <translation>种子相同则回复相同；留空每次换一个</translation>
    </message>
    <message>
        <source>Most tokens &amp;out</source>
        <translation>最多输出 token(&amp;O)</translation>
    </message>
    <message>
        <source>The reply ends here at the latest; 0 lets it run to the end of the context</source>
        <translation>回复最长到此为止；0 为直到上下文用完</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>Comes before the conversation; kept with each chat</source>
        <translation>位于对话之前；随每个对话保存</translation>
    </message>
    <message>
        <source>How the model should answer in this chat</source>
        <translation>模型在此对话中应如何回答</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Stop st&amp;rings</source>
        <translation>停止串(&amp;R)</translation>
    </message>
    <message>
        <source>The reply ends before any of these; put | between them, and \n for a line end</source>
        <translation>回复在遇到其中任何一个之前结束；用 | 分隔，换行写作 \n</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 token</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ScatterChart</name>
    <message>
        <source>%1 tok/s, %2 %3</source>
        <translation>%1 token/s，%2 %3</translation>
    </message>
    <message>
        <source>, reverted</source>
        <translation>，已回退</translation>
    </message>
    <message>
        <source>%1 tok/s, baseline</source>
        <translation>%1 token/s，基线</translation>
    </message>
    <message>
        <source>limit %1 ms</source>
        <translation>上限 %1 ms</translation>
    </message>
    <message>
        <source>Throughput against latency</source>
        <translation>吞吐与延迟</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>token/s</translation>
    </message>
    <message>
        <source>Did each item pay?</source>
        <translation>每个条目都值吗？</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>The latency that throughput is shown against</source>
        <translation>吞吐与哪个延迟对照</translation>
    </message>
    <message>
        <source>○ item, 95 % CI</source>
        <translation>○ 条目，95 % 置信区间</translation>
    </message>
    <message>
        <source>◇ tried</source>
        <translation>◇ 试过</translation>
    </message>
    <message>
        <source>Pareto front</source>
        <translation>帕累托前沿</translation>
    </message>
    <message>
        <source>Point</source>
        <translation>点</translation>
    </message>
    <message>
        <source>± latency</source>
        <translation>± 延迟</translation>
    </message>
    <message>
        <source>± tok/s</source>
        <translation>± token/s</translation>
    </message>
    <message>
        <source>On the front</source>
        <translation>在前沿上</translation>
    </message>
    <message>
        <source>Nothing is measured yet.</source>
        <translation>尚未测量。</translation>
    </message>
    <message>
        <source>%1 at %2 %3</source>
        <translation>%1，%2 %3</translation>
    </message>
    <message>
        <source>%1.</source>
        <translation>%1。</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ScatterView</name>
    <message>
        <source>%1 (left is better)</source>
        <translation>%1（越左越好）</translation>
    </message>
    <message>
        <source>Nothing is measured yet. Run an item with Enter, or all of them.</source>
        <translation>尚未测量。按 Enter 运行一个条目，或全部运行。</translation>
    </message>
    <message>
        <source>%1 →</source>
        <translation>%1 →</translation>
    </message>
    <message>
        <source>← %1</source>
        <translation>← %1</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ServeCharts</name>
    <message>
        <source>ITL</source>
        <translation>ITL</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>Does any stream stutter?</source>
        <translation>有没有流卡顿？</translation>
    </message>
    <message>
        <source>How long until the first token?</source>
        <translation>首个 token 要等多久？</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>token/s</translation>
    </message>
    <message>
        <source>What do we deliver?</source>
        <translation>产出多少？</translation>
    </message>
    <message>
        <source>Memory over time</source>
        <translation>内存随时间</translation>
    </message>
    <message>
        <source>What grows?</source>
        <translation>什么在增长？</translation>
    </message>
    <message>
        <source>Batch by step</source>
        <translation>逐步批次</translation>
    </message>
    <message>
        <source>Who shares a step?</source>
        <translation>谁同批？</translation>
    </message>
    <message>
        <source>How fast does each stream write?</source>
        <translation>每路流写得多快？</translation>
    </message>
    <message>
        <source>Distribution</source>
        <translation>分布</translation>
    </message>
    <message>
        <source>%</source>
        <translation>%</translation>
    </message>
    <message>
        <source>SLO %1</source>
        <translation>SLO %1</translation>
    </message>
    <message>
        <source>max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>limit %1</source>
        <translation>上限 %1</translation>
    </message>
    <message>
        <source>GiB</source>
        <translation>GiB</translation>
    </message>
    <message>
        <source>MiB</source>
        <translation>MiB</translation>
    </message>
    <message>
        <source>No token yet</source>
        <translation>尚无 token</translation>
    </message>
    <message>
        <source>Queue time</source>
        <translation>排队时间</translation>
    </message>
    <message>
        <source>How long until a request&apos;s first step?</source>
        <translation>请求的第一步要等多久？</translation>
    </message>
    <message>
        <source>How long does it take, mostly?</source>
        <translation>通常要多久？</translation>
    </message>
    <message>
        <source>Tail</source>
        <translation>尾部</translation>
    </message>
    <message>
        <source>How bad is the worst?</source>
        <translation>最差有多差？</translation>
    </message>
    <message>
        <source>%1 SLO %2</source>
        <translation>%1 SLO %2</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ServePage</name>
    <message>
        <source>Saved settings are not used. %1</source>
        <translation>未使用已保存的设置。%1</translation>
    </message>
    <message>
        <source>Serve</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>Engine or settings</source>
        <translation>引擎或设置</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Model and settings</source>
        <translation>模型与设置</translation>
    </message>
    <message>
        <source>Time window of the charts</source>
        <translation>图表的时窗</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 分钟</translation>
    </message>
    <message>
        <source>Start engine</source>
        <translation>启动引擎</translation>
    </message>
    <message>
        <source>Stop engine</source>
        <translation>停止引擎</translation>
    </message>
    <message>
        <source>Pause view</source>
        <translation>暂停画面</translation>
    </message>
    <message>
        <source>Load test…</source>
        <translation>压测…</translation>
    </message>
    <message>
        <source>Previous spike</source>
        <translation>上一个尖峰</translation>
    </message>
    <message>
        <source>Next spike</source>
        <translation>下一个尖峰</translation>
    </message>
    <message>
        <source>Next lap</source>
        <translation>下一圈</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>时窗</translation>
    </message>
    <message>
        <source>Open a model…</source>
        <translation>打开模型…</translation>
    </message>
    <message>
        <source>Change %1</source>
        <translation>更改 %1</translation>
    </message>
    <message>
        <source>Resume view</source>
        <translation>恢复画面</translation>
    </message>
    <message>
        <source>Cancel load</source>
        <translation>取消加载</translation>
    </message>
    <message>
        <source>Reading the header</source>
        <translation>正在读取文件头</translation>
    </message>
    <message>
        <source>Stopped at %1</source>
        <translation>停止于 %1</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>使用 %1</translation>
    </message>
    <message>
        <source>Use any free port</source>
        <translation>用任意空闲端口</translation>
    </message>
    <message>
        <source>Open another model…</source>
        <translation>打开其他模型…</translation>
    </message>
    <message>
        <source>%1 is chosen, and %2 is still serving.</source>
        <translation>已选 %1，仍在服务 %2。</translation>
    </message>
    <message>
        <source>Restart with %1</source>
        <translation>用 %1 重启</translation>
    </message>
    <message>
        <source>Fetch, share that is here</source>
        <translation>下载，已到的份额</translation>
    </message>
    <message>
        <source>Cancel fetch</source>
        <translation>取消下载</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Where the model runs; the setting named device.</source>
        <translation>模型在哪里运行；即名为 device 的设置。</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>GPU, by CUDA</source>
        <translation>GPU，用 CUDA</translation>
    </message>
    <message>
        <source>All settings are back at their defaults.</source>
        <translation>所有设置已恢复默认值。</translation>
    </message>
    <message>
        <source>%1 is not on this machine yet. It can be fetched on Serve.</source>
        <translation>%1 还不在本机上，可以在“服务”页获取。</translation>
    </message>
    <message>
        <source>%1 has no weights on this machine. Open its .gguf file.</source>
        <translation>本机没有 %1 的权重。请打开它的 .gguf 文件。</translation>
    </message>
    <message>
        <source>Go to Serve</source>
        <translation>转到“服务”</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::SettingsForm</name>
    <message>
        <source>From %1 to %2 %3.</source>
        <translation>%1 到 %2 %3。</translation>
    </message>
    <message>
        <source>Default: %1.</source>
        <translation>默认：%1。</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>△ Some of them wait for a restart.</source>
        <translation>△ 其中一些要等重启。</translation>
    </message>
    <message>
        <source>In force from the next step; a line on every chart marks it. Ctrl+Enter</source>
        <translation>从下一步起生效；每张图上有一条线标记。Ctrl+Enter</translation>
    </message>
    <message>
        <source>Restart with this</source>
        <translation>按此重启</translation>
    </message>
    <message>
        <source>Stops the engine, which ends its run, and starts it with these settings.</source>
        <translation>停止引擎并结束本次运行，然后用这些设置启动。</translation>
    </message>
    <message>
        <source>Revert</source>
        <translation>还原</translation>
    </message>
    <message>
        <source>The fields say again what is in force.</source>
        <translation>各栏恢复为当前生效的值。</translation>
    </message>
    <message>
        <source>Changes with a restart.</source>
        <translation>重启后生效。</translation>
    </message>
    <message>
        <source>requested</source>
        <translation>请求值</translation>
    </message>
    <message>
        <source>effective</source>
        <translation>生效值</translation>
    </message>
    <message>
        <source>Change while it serves</source>
        <translation>服务中可改</translation>
    </message>
    <message>
        <source>Live settings</source>
        <translation>实时设置</translation>
    </message>
    <message>
        <source>Apply as lap %1</source>
        <translation>应用为第 %1 圈</translation>
    </message>
    <message numerus="yes">
        <source>%n pending</source>
        <translation>
            <numerusform>%n 项待应用</numerusform>
        </translation>
    </message>
    <message>
        <source>all defaults</source>
        <translation>均为默认</translation>
    </message>
    <message numerus="yes">
        <source>%n changed</source>
        <translation>
            <numerusform>改了 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>Defaults</source>
        <translation>恢复默认</translation>
    </message>
    <message>
        <source>Sets all settings back to their defaults.</source>
        <translation>将所有设置恢复为默认值。</translation>
    </message>
    <message>
        <source>Changed; it is empty by default.</source>
        <translation>已更改；默认为空。</translation>
    </message>
    <message>
        <source>Changed; the default is %1.</source>
        <translation>已更改；默认值为 %1。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::SettingsPage</name>
    <message>
        <source>View</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>刷新</translation>
    </message>
    <message>
        <source>%1 times a second</source>
        <translation>每秒 %1 次</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Refresh</source>
        <translation>刷新(&amp;R)</translation>
    </message>
    <message>
        <source>Model folders</source>
        <translation>模型文件夹</translation>
    </message>
    <message>
        <source>Where does the list of models look?</source>
        <translation>模型列表从哪里找？</translation>
    </message>
    <message>
        <source>Add folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Add a folder with models</source>
        <translation>添加存放模型的文件夹</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>A change takes effect at the next start.</source>
        <translation>更改在下次启动时生效。</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>Reset layout</source>
        <translation>重置布局</translation>
    </message>
    <message>
        <source>Window size, dividers, tabs and columns as shipped</source>
        <translation>窗口大小、分隔条、标签页和列恢复出厂</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>Of the system&apos;s text size, from the next start</source>
        <translation>相对系统文字大小，下次启动生效</translation>
    </message>
    <message>
        <source>%1 % of the system&apos;s</source>
        <translation>系统的 %1 %</translation>
    </message>
    <message>
        <source>The text size changes at the next start.</source>
        <translation>文字大小在下次启动时改变。</translation>
    </message>
    <message>
        <source>Text &amp;size</source>
        <translation>文字大小(&amp;S)</translation>
    </message>
    <message>
        <source>Send messages with</source>
        <translation>发送消息用</translation>
    </message>
    <message>
        <source>Ctrl+Enter</source>
        <translation>Ctrl+Enter</translation>
    </message>
    <message>
        <source>Enter</source>
        <translation>Enter</translation>
    </message>
    <message>
        <source>Send &amp;messages with</source>
        <translation>发送消息用(&amp;M)</translation>
    </message>
    <message>
        <source>When a sweep, a load or a checklist ends in the background</source>
        <translation>扫描、压测或清单在后台结束时</translation>
    </message>
    <message>
        <source>Notifications</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>&amp;Notifications</source>
        <translation>通知(&amp;N)</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ShortcutCard</name>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Which key does what?</source>
        <translation>哪个键做什么？</translation>
    </message>
    <message>
        <source>Search actions and keys</source>
        <translation>搜索操作和按键</translation>
    </message>
    <message>
        <source>Does</source>
        <translation>作用</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Usual key</source>
        <translation>默认按键</translation>
    </message>
    <message>
        <source>Enter goes to the key of the chosen action</source>
        <translation>Enter 转到所选操作的按键</translation>
    </message>
    <message>
        <source>No key</source>
        <translation>无按键</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>全部重置</translation>
    </message>
    <message>
        <source>Take the key</source>
        <translation>占用此键</translation>
    </message>
    <message>
        <source>Leave it</source>
        <translation>保持不变</translation>
    </message>
    <message>
        <source>No action is chosen</source>
        <translation>未选操作</translation>
    </message>
    <message>
        <source>Key of %1</source>
        <translation>%1 的按键</translation>
    </message>
    <message>
        <source>△ %1 is the key of “%2”.</source>
        <translation>△ %1 是“%2”的按键。</translation>
    </message>
    <message>
        <source>△ %1 is the key of “%2” on %3.</source>
        <translation>△ %1 是%3页“%2”的按键。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::ShortcutSheet</name>
    <message>
        <source>Shortcuts</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Does</source>
        <translation>作用</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>everywhere</source>
        <translation>各处</translation>
    </message>
    <message>
        <source>←, →, Home, End</source>
        <translation>←、→、Home、End</translation>
    </message>
    <message>
        <source>Move the crosshair</source>
        <translation>移动十字线</translation>
    </message>
    <message>
        <source>charts</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Chart as a table</source>
        <translation>图表显示为表格</translation>
    </message>
    <message>
        <source>Export the chart</source>
        <translation>导出图表</translation>
    </message>
    <message>
        <source>Copy as CSV</source>
        <translation>复制为 CSV</translation>
    </message>
    <message>
        <source>tables</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Dismiss the banner, free the crosshair</source>
        <translation>关闭横幅，释放十字线</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>更改…</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::StackChart</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>%1: no data yet.</source>
        <translation>%1：尚无数据。</translation>
    </message>
    <message>
        <source> (was %1)</source>
        <translation>（原为 %1）</translation>
    </message>
    <message>
        <source>%1, %2: %3.</source>
        <translation>%1，%2：%3。</translation>
    </message>
    <message>
        <source>s since %1</source>
        <translation>自 %1 起的秒数</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::StackPlot</name>
    <message>
        <source>No data yet</source>
        <translation>尚无数据</translation>
    </message>
    <message>
        <source>%1, above</source>
        <translation>%1，位于上方</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::StartView</name>
    <message>
        <source>%1 on %2 × %3</source>
        <translation>%1，%2 × %3</translation>
    </message>
    <message>
        <source> · %1 requests at once</source>
        <translation> · %1 路并发</translation>
    </message>
    <message>
        <source> of up to %1 tokens</source>
        <translation>，每路最长 %1 token</translation>
    </message>
    <message>
        <source>What will it hold, and how fast will it be?</source>
        <translation>能容多少，有多快？</translation>
    </message>
    <message>
        <source>A plan needs no GPU and loads nothing: it counts bytes from the model&apos;s headers and its configuration, and predicts times from the GPU&apos;s profile.</source>
        <translation>规划不需要 GPU，也不加载任何东西：它按模型的文件头和配置计算字节，按 GPU 的档案预测时间。</translation>
    </message>
    <message>
        <source>Read a command line…</source>
        <translation>读取命令行…</translation>
    </message>
    <message>
        <source>Starts from how another engine is run today.</source>
        <translation>从另一个引擎现在的运行方式开始。</translation>
    </message>
    <message>
        <source>Tuning recipe…</source>
        <translation>调优配方…</translation>
    </message>
    <message>
        <source>A published way of tuning, step by step, beside its simulation.</source>
        <translation>一套公开的调优过程，逐步与模拟对照。</translation>
    </message>
    <message>
        <source>Plan this</source>
        <translation>规划它</translation>
    </message>
    <message>
        <source>Plan %1</source>
        <translation>规划 %1</translation>
    </message>
    <message>
        <source>Plan a model</source>
        <translation>规划模型</translation>
    </message>
    <message>
        <source>Or start from a deployment</source>
        <translation>或从部署开始</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Requests at once</source>
        <translation>并发请求</translation>
    </message>
    <message>
        <source>Max length</source>
        <translation>最大长度</translation>
    </message>
    <message>
        <source>That the deployment has to hold.</source>
        <translation>部署须同时容纳的请求数。</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>Longest sequence that is accepted, prompt and reply.</source>
        <translation>可接受的最长序列，含提示词和回复。</translation>
    </message>
    <message>
        <source>model&apos;s</source>
        <translation>随模型</translation>
    </message>
    <message>
        <source>Plan it</source>
        <translation>规划</translation>
    </message>
    <message>
        <source>Answers for this model, and shows all that can be changed.</source>
        <translation>给出该模型的结果，并列出所有可改的设置。</translation>
    </message>
    <message>
        <source>Open a GGUF or config.json…</source>
        <translation>打开 GGUF 或 config.json…</translation>
    </message>
    <message>
        <source>Plans another model, on the GPU and for the demand that are chosen here.</source>
        <translation>按此处所选的 GPU 和需求规划另一个模型。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::StatusBar</name>
    <message>
        <source>Copy the address</source>
        <translation>复制地址</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>%1 tok/s out</source>
        <translation>%1 token/s 输出</translation>
    </message>
    <message>
        <source>Memory %1 / %2</source>
        <translation>内存 %1 / %2</translation>
    </message>
    <message>
        <source>Memory %1</source>
        <translation>内存 %1</translation>
    </message>
    <message>
        <source>Address %1</source>
        <translation>地址 %1</translation>
    </message>
    <message>
        <source>Run %1 recording, %2</source>
        <translation>运行 %1 记录中，%2</translation>
    </message>
    <message>
        <source>Not recorded, %1</source>
        <translation>未记录，%1</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>Lap %1</source>
        <translation>圈次 %1</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::StepChart</name>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Began</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Took ms</source>
        <translation>用时 ms</translation>
    </message>
    <message>
        <source>Prefill</source>
        <translation>预填充</translation>
    </message>
    <message>
        <source>Tokens.</source>
        <translation>token 数。</translation>
    </message>
    <message>
        <source>Decode</source>
        <translation>解码</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Requests in the queue.</source>
        <translation>队列中的请求。</translation>
    </message>
    <message>
        <source>Joined</source>
        <translation>加入</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>离开</translation>
    </message>
    <message>
        <source>Preempted</source>
        <translation>被抢占</translation>
    </message>
    <message>
        <source>Sequences that gave their KV blocks back.</source>
        <translation>交还 KV 块的序列。</translation>
    </message>
    <message>
        <source>Evicted</source>
        <translation>逐出</translation>
    </message>
    <message>
        <source>Cached blocks that gave way.</source>
        <translation>让出的缓存块。</translation>
    </message>
    <message>
        <source>%1: no step yet.</source>
        <translation>%1：尚无步。</translation>
    </message>
    <message>
        <source>%1: %2 steps; the last, %3, had %4 decode and %5 prefill tokens; the longest, %6, took %7; %8 preempted, %9 evicted.</source>
        <translation>%1：%2 步；最后一步 %3 有 %4 个解码和 %5 个预填充 token；最长的 %6 用时 %7；抢占 %8，逐出 %9。</translation>
    </message>
    <message>
        <source>s since %1</source>
        <translation>自 %1 起的秒数</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::StepPlot</name>
    <message>
        <source>No step here</source>
        <translation>这里没有步</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::StepsView</name>
    <message>
        <source>Steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>What was in each step, and who had to give way?</source>
        <translation>每一步里有什么，谁不得不让路？</translation>
    </message>
    <message>
        <source>Arrows choose a step, + and − zoom, 0 shows all. ▼ preempted, ◇ evicted.</source>
        <translation>方向键选步，+ 和 − 缩放，0 显示全部。▼ 抢占，◇ 逐出。</translation>
    </message>
    <message>
        <source>Requests in the step</source>
        <translation>本步的请求</translation>
    </message>
    <message>
        <source>Who was in it</source>
        <translation>里面有谁</translation>
    </message>
    <message>
        <source>The engine has stopped: who was in a step is no longer known.</source>
        <translation>引擎已停止：一步里有谁已无从得知。</translation>
    </message>
    <message>
        <source>This step is too long ago: the engine knows its last 8,192 steps by name.</source>
        <translation>这一步太久远：引擎只记得最近 8,192 步的明细。</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>第 %1 步</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::SweepDialog</name>
    <message>
        <source>Run sweep</source>
        <translation>运行扫描</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>取值</translation>
    </message>
    <message>
        <source>Values to try, separated by commas.</source>
        <translation>要试的取值，用逗号分隔。</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置项</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message numerus="yes">
        <source>Each value is measured against the same base, %n repeats each.</source>
        <translation>
            <numerusform>每个取值都与同一基准对照，各重复 %n 次。</numerusform>
        </translation>
    </message>
    <message>
        <source>The base has %1.</source>
        <translation>基准为 %1。</translation>
    </message>
    <message>
        <source>Name one value at least that is not the base&apos;s %1.</source>
        <translation>至少给出一个不同于基准 %1 的值。</translation>
    </message>
    <message>
        <source>Sweep of %1</source>
        <translation>扫描 %1</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::TimingsStrip</name>
    <message>
        <source>length limit</source>
        <translation>达到长度上限</translation>
    </message>
    <message>
        <source>queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>worst ITL</source>
        <translation>最差 ITL</translation>
    </message>
    <message>
        <source>out</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>preempted</source>
        <translation>抢占</translation>
    </message>
    <message>
        <source>Timings: %1</source>
        <translation>耗时：%1</translation>
    </message>
    <message>
        <source>ITL p99</source>
        <translation>ITL p99</translation>
    </message>
    <message>
        <source>cached</source>
        <translation>缓存</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>ended at</source>
        <translation>结束于</translation>
    </message>
    <message>
        <source>messages left out</source>
        <translation>略去的消息</translation>
    </message>
    <message>
        <source>characters left out</source>
        <translation>略去的字符</translation>
    </message>
    <message>
        <source>Shows the steps of this request on Serve</source>
        <translation>在“服务”页显示此请求的各步</translation>
    </message>
    <message>
        <source>Queue: arrival to first step. TTFT: arrival to first token. TPOT: mean time per further token. ITL: gap between two tokens; its p99 needs 100 of them. Cached: prompt tokens that were not computed again. A click shows the steps of this request on Serve.</source>
        <translation>排队：从到达到第一步。TTFT：从到达到首个 token。TPOT：之后每个 token 的平均耗时。ITL：相邻 token 的间隔；p99 需要 100 个样本。缓存：未重新计算的提示词 token。点击可在“服务”页查看此请求的各步。</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::TopBar</name>
    <message>
        <source>More actions</source>
        <translation>更多操作</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::TunePage</name>
    <message>
        <source>Checklist</source>
        <translation>清单</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Delete the checklist</source>
        <translation>删除清单</translation>
    </message>
    <message>
        <source>Add an item</source>
        <translation>添加条目</translation>
    </message>
    <message>
        <source>Edit the item</source>
        <translation>编辑条目</translation>
    </message>
    <message>
        <source>Remove the item</source>
        <translation>移除条目</translation>
    </message>
    <message>
        <source>Run the item</source>
        <translation>运行条目</translation>
    </message>
    <message>
        <source>Keep the item</source>
        <translation>保留条目</translation>
    </message>
    <message>
        <source>Revert the item</source>
        <translation>回退条目</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Removed %1.</source>
        <translation>已移除 %1。</translation>
    </message>
    <message>
        <source>Export the report</source>
        <translation>导出报告</translation>
    </message>
    <message>
        <source>Report (*.html);;Report (*.md);;All of it (*.json)</source>
        <translation>报告 (*.html);;报告 (*.md);;全部内容 (*.json)</translation>
    </message>
    <message>
        <source>Tune</source>
        <translation>调优</translation>
    </message>
    <message>
        <source>Saved to %1</source>
        <translation>已保存到 %1</translation>
    </message>
    <message>
        <source>Open folder</source>
        <translation>打开文件夹</translation>
    </message>
    <message>
        <source>Item %1 of “%2”</source>
        <translation>“%2”的条目 %1</translation>
    </message>
    <message>
        <source>%1 to decide</source>
        <translation>待定 %1</translation>
    </message>
    <message>
        <source>Items or effects</source>
        <translation>条目或效果</translation>
    </message>
    <message>
        <source>Items</source>
        <translation>条目</translation>
    </message>
    <message>
        <source>Effects</source>
        <translation>效果</translation>
    </message>
    <message>
        <source>Import a checklist…</source>
        <translation>导入清单…</translation>
    </message>
    <message>
        <source>Imported %1 as “%2”.</source>
        <translation>已将 %1 导入为“%2”。</translation>
    </message>
    <message>
        <source>%1 is here already: it is “%2”.</source>
        <translation>%1 已在这里：它是“%2”。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>%1, imported</source>
        <translation>%1，已导入</translation>
    </message>
    <message>
        <source>Import checklists</source>
        <translation>导入清单</translation>
    </message>
    <message>
        <source>Checklists (*.json);;All files (*)</source>
        <translation>清单 (*.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>New checklist…</source>
        <translation>新建清单…</translation>
    </message>
    <message>
        <source>New checklist, from a template or empty</source>
        <translation>新建清单，从模板或从空白开始</translation>
    </message>
    <message>
        <source>Edit the checklist…</source>
        <translation>编辑清单…</translation>
    </message>
    <message numerus="yes">
        <source>%1 was cut off while it was measured. Its %n runs are kept.</source>
        <translation>
            <numerusform>%1 在测量时被中断。其 %n 次运行已保留。</numerusform>
        </translation>
    </message>
    <message>
        <source>to be measured</source>
        <translation>待测量</translation>
    </message>
    <message>
        <source>Go to Serve</source>
        <translation>转到“服务”</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Run all</source>
        <translation>全部运行</translation>
    </message>
    <message>
        <source>%1 is not measured yet. Run it, then decide.</source>
        <translation>“%1”尚未测量。请先运行，再决定。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Run sweep…</source>
        <translation>运行扫描…</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::TuneSession</name>
    <message>
        <source>%1: %2 of %3 decided</source>
        <translation>%1：%3 个中 %2 个已有结论</translation>
    </message>
    <message>
        <source>, %1 failed</source>
        <translation>，%1 个失败</translation>
    </message>
</context>
<context>
    <name>pitwall::ui::TuneStartView</name>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Start from a template</source>
        <translation>从模板开始</translation>
    </message>
    <message>
        <source>Which change pays, and by how much?</source>
        <translation>哪项改动值，值多少？</translation>
    </message>
    <message>
        <source>A checklist changes one variable at a time and measures each change against what is kept so far: in the simulator, on an engine of its own, or on the running one.</source>
        <translation>清单一次只改一个变量，并与目前保留的结果对照测量：在模拟器中、在独立引擎上，或在运行中的引擎上。</translation>
    </message>
    <message>
        <source>Use this…</source>
        <translation>使用它…</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>使用 %1</translation>
    </message>
    <message>
        <source>Empty checklist</source>
        <translation>空清单</translation>
    </message>
    <message>
        <source>Items of your own, one setting each</source>
        <translation>自己的条目，每项一个设置</translation>
    </message>
</context>
</TS>
