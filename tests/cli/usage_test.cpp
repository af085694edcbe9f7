#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "tests/cli/program.h"

namespace reelgrid::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct BadUsage {
    std::vector<std::string> arguments;
    const char* says;
};
void PrintTo(const BadUsage& usage, std::ostream* out) {
    for (const std::string& word : usage.arguments) *out << word << ' ';
}

class RejectsUsage : public testing::TestWithParam<BadUsage> {};

TEST_P(RejectsUsage, WithExitCode2AndOneLine) {
    const ProgramRun run = runProgram(GetParam().arguments);
    EXPECT_EQ(run.exitCode, 2);
    EXPECT_THAT(run.output, IsEmpty());
    EXPECT_THAT(run.errors, HasSubstr(GetParam().says));
    EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1) << run.errors;
}

INSTANTIATE_TEST_SUITE_P(
    Any, RejectsUsage,
    testing::Values(
        BadUsage{{}, "subcommand"}, BadUsage{{"dance"}, "dance"},
        BadUsage{{"render", "--heigth", "3"}, "--heigth"},
        BadUsage{{"render", "--height", "tall"},
                 "--height = tall: a value of the kind that --help names was needed"},
        BadUsage{{"render", "--profile-active", "18446744073709551616"},
                 "--profile-active = 18446744073709551616: a value of the kind"},
        BadUsage{{"render", "--height", "250"}, "--height 250"},
        BadUsage{{"render", "--step-cache", "@x"}, "--step-cache @x: teacache or magcache before @"},
        BadUsage{{"render", "--num-frames", "32"}, "--num-frames 32"},
        // What an unset variable of a shell leaves.
        BadUsage{{"render", "--guidance-scale", ""},
                 "--guidance-scale: the value is empty, a number was needed"},
        BadUsage{{"render", "--max-captures", ""}, "--max-captures: the value is empty"},
        BadUsage{{"render", "--save-latents-every="}, "--save-latents-every"},
        BadUsage{{"render", "--max-capture-gib", ""}, "--max-capture-gib: the value is empty"},
        BadUsage{{"render", "--capture-layers", ""}, "--capture-layers: the value is empty"},
        BadUsage{{"render", "--capture-steps="}, "--capture-steps: "},
        BadUsage{{"render", "--device", ""}, "--device: the value is empty, some text was needed"},
        BadUsage{{"render", "--dtype", ""}, "--dtype: the value is empty"},
        BadUsage{{"render", "--prompt-travel", ""}, "--prompt-travel: the value is empty"},
        BadUsage{{"render", "--lora-2", "x"}, "--lora-2 x: a .safetensors file was needed"},
        BadUsage{{"render", "--picture-fit", "crop"}, "--picture-fit crop: --img-file-path was needed"},
        BadUsage{{"render", "--vae-dtype", ""}, "--vae-dtype: the value is empty"},
        BadUsage{{"render", "--generator", ""}, "--generator: the value is empty"},
        BadUsage{{"render", "--vae-tiling", ""}, "--vae-tiling: the value is empty"},
        BadUsage{{"render", "--chain-from", ""}, "--chain-from: the value is empty"},
        BadUsage{{"stitch", "a.mp4", "--fps", ""}, "--fps: the value is empty"},
        BadUsage{{"compare", "--types", "sdpa,,fav2"}, "--types: \"sdpa,,fav2\" has an empty entry"},
        BadUsage{{"compare", "--types=,"}, "--types: \",\" has an empty entry"},
        BadUsage{{"compare", "--step-caches", "0.28,"}, "--step-caches: \"0.28,\" has an empty entry"},
        BadUsage{{"render", "--lora", ",a.safetensors"}, "--lora: \",a.safetensors\" has an empty entry"},
        BadUsage{{"bench", "attention", "--kernel", "fav2,"}, "--kernel: \"fav2,\" has an empty entry"},
        BadUsage{{"tune", "--step-cache", "record", "--num-inference-steps", "2"},
                 "--num-inference-steps 2: for --step-cache record 3 or more were needed"},
        BadUsage{{"tune", "--step-cache", "record", "--max-renders", "3"},
                 "--max-renders: --step-cache record looks for no policy; one of the two was needed"},
        BadUsage{{"tune", "--step-cache", "record", "--sparge-l1", "0.1"},
                 "--sparge-l1: --step-cache record looks for no policy; one of the two was needed"},
        BadUsage{{"stitch", "--pattern", ""}, "--pattern: the value is empty"},
        BadUsage{{"compare", "--output-dir", ""}, "--output-dir: the value is empty"},
        BadUsage{{"metrics", "a.mp4", "--reference", ""}, "--reference: the value is empty"},
        BadUsage{{"metrics", "a.mp4", "--metric-weights", ""}, "--metric-weights: the value is empty"},
        BadUsage{{"render", "--backend-plugin="}, "--backend-plugin: is empty, a file was needed"},
        BadUsage{{"render", "--seed", ""}, "--seed"}, BadUsage{{"stitch", "--columns", ""}, "--columns"},
        BadUsage{{"render", "--num-frames", "021"},
                 "--num-frames: 021: a decimal number without blanks or zeros before it was needed"},
        BadUsage{{"render", "--width", "0x100"}, "--width: 0x100: a decimal number"},
        BadUsage{{"render", "--guidance-scale", "0x2"}, "--guidance-scale: 0x2: a decimal number"},
        BadUsage{{"render", "--height= 64"}, "--height:  64: a decimal number"},
        BadUsage{{"plan", "--gpus", "2", "--tflops", "nan"},
                 "--tflops: nan: a number from 1e-06 to 1e+06 was needed"},
        BadUsage{{"plan", "--gpus", "2", "--tflops", "inf"},
                 "--tflops: inf: a number from 1e-06 to 1e+06 was needed"},
        BadUsage{{"plan", "--gpus", "2", "--memory=-nan"}, "--memory: -nan: a number from 1e-06"},
        BadUsage{{"plan", "--gpus", "65"}, "--gpus: 65: a number from 1 to 64 was needed"},
        BadUsage{{"render", "--job-timeout", "nan"},
                 "--job-timeout: nan: a number from 0.001 to 1e+07 was needed"},
        BadUsage{{"render", "--rank-timeout", "nan"}, "--rank-timeout: nan: a number from 1 to 1e+07 was"},
        BadUsage{{"backends", "check", "sla", "--case-timeout", "nan"},
                 "--case-timeout: nan: a number from 0.1"},
        BadUsage{{"backends", "new", "triton", "--kind", "python"},
                 "stand for Python's package of that name"},
        BadUsage{{"backends", "new", "default"}, "backends new default: the name has a meaning of its own"},
        BadUsage{{"render", "--vae-tile-px", "0"}, "--vae-tile-px 0: a value from 64 to 16384 was needed"},
        BadUsage{{"render", "--seed", "-1"}, "--seed -1"},
        BadUsage{{"render", "--seed", "18446744073709551616"}, "--seed 18446744073709551616"},
        BadUsage{{"render", "--model", REELGRID_SOURCE_DIR "/tests/fixtures/wan/tiny-pipeline"},
                 "--prompt is missing"},
        // An empty prompt is a prompt: what is wrong here is the rule.
        BadUsage{{"render", "--model", REELGRID_SOURCE_DIR "/resources/models/wan-demo", "--prompt", "",
                  "--attention-rule", "sdpa:layers=8"},
                 "--attention-rule: rule 1: layers 8: 0 to 7"},
        BadUsage{{"render", "--prompt", "caf\xe9"},
                 "--prompt: \"caf\xef\xbf\xbd\": its bytes aren't UTF-8, text in UTF-8 was needed"},
        BadUsage{{"render", "--dtype", "int4"}, "--dtype int4"},
        BadUsage{{"render", "--device", "tpu"}, "--device tpu: cpu, cuda or cuda:N was needed"},
        BadUsage{{"compare", "--device", "cuda:1x"}, "--device cuda:1x: cpu, cuda or cuda:N was needed"},
        BadUsage{{"render", "--device", "cpu", "--dtype", "fp16"},
                 "--dtype fp16: on the CPU fp32 or bf16 was needed"},
        BadUsage{{"render", "--device", "cpu", "--vae-dtype", "fp16"},
                 "--vae-dtype fp16: on the CPU fp32 or bf16 was needed"},
        BadUsage{{"render", "--device", "cpu", "--fp32-precision", "tf32"},
                 "--fp32-precision tf32: on the CPU ieee was needed"},
        BadUsage{{"render", "--device", "cpu", "--generator", "cuda"},
                 "--generator cuda: on the CPU cpu was needed"},
        BadUsage{{"render", "--vae-tiling", "maybe"}, "--vae-tiling maybe: auto, on or off was needed"},
        BadUsage{{"render", "--vae-tile-px", "200"}, "--vae-tile-px 200: a multiple of 16"},
        BadUsage{{"compare", "--vae-tile-px", "32"}, "--vae-tile-px 32"},
        BadUsage{{"render", "--task", "i2v"}, "--task i2v"},
        BadUsage{{"render", "--img_file_path", "a.jpg"}, "a.jpg: task t2v of model demo takes no such"},
        BadUsage{{"render", "--last_img_file_path", "a.jpg"}, "a.jpg: task t2v of model demo takes no such"},
        BadUsage{{"render", "--force_output_size"}, "--force-output-size: --img-file-path was needed"},
        BadUsage{{"render", "--offload", "disk"}, "--offload disk: auto, none or blocks was needed"},
        BadUsage{{"render", "--guidance_scale_2", "3"}, "--guidance-scale-2: wan2.1 models have no use"},
        BadUsage{{"render", "--attention-type", "flashier"}, "--attention-type flashier"},
        BadUsage{{"render", "--attention-rule", "flashier"}, "rule 1: backend \"flashier\""},
        BadUsage{{"render", "--attention-rule", "fav2:layer=3"}, "rule 1: \"layer\""},
        BadUsage{{"render", "--attention-rule", "fav2", "--attention-rule", "sdpa:layers=8"},
                 "--attention-rule: rule 2: layers 8: 0 to 7"},
        BadUsage{{"compare", "--attention-rule", "fav2:steps=-1..0"}, "rule 1: steps [-1, 0]"},
        BadUsage{{"render", "--num-inference-steps", "4", "--attention-rule", "fav2:steps=4"},
                 "rule 1: steps 4: 0 to 3"},
        BadUsage{{"render", "--attention-policy", "/dev/null"}, "/dev/null: not a regular file"},
        BadUsage{{"render", "--attention-policy", "a", "--attention-rule", "fav2"}, "only one of them"},
        BadUsage{{"render", "--save_inputs", "--max_captures", "-1"}, "--max-captures -1"},
        BadUsage{{"render", "--save_inputs", "--max_capture_gib", "-1"}, "--max-capture-gib -1"},
        BadUsage{{"render", "--save_inputs", "--capture_module", "temporal"},
                 "--capture-module temporal: one of self, cross, all was needed"},
        BadUsage{{"render", "--save_inputs", "--capture_layers", "0,8"},
                 "--capture-layers: layers 8: 0 to 7"},
        BadUsage{{"render", "--save_inputs", "--capture_layers", "all"}, "--capture-layers: \"all\""},
        BadUsage{{"compare", "--save_inputs", "--num_inference_steps", "4", "--capture_steps", "2-4"},
                 "--capture-steps: steps [2, 4]"},
        BadUsage{{"render", "--output", "a.avi"}, ".avi"},
        BadUsage{{"render", "--output", "a.mp4", "--benchmark-output-directory", "d"}, "only one"},
        BadUsage{{"compare", "--types", "sdpa,flashier"}, "--types flashier"},
        BadUsage{{"compare", "--types", "sdpa,sdpa"}, "sdpa twice"},
        BadUsage{{"compare", "--fps", "fast"}, "--fps fast"},
        BadUsage{{"render", "--profile-output", ""}, "--profile-output: the value is empty"},
        BadUsage{{"render", "--profile_output", ".."}, "--profile-output \"..\": a trace's name"},
        BadUsage{{"render", "--profile-wait", "2"}, "--profile-wait 2: --profile-output was needed"},
        BadUsage{{"render", "--profile_output", "p", "--profile_active", "0"}, "--profile-active 0"},
        BadUsage{{"render", "--profile_output", "p", "--profile_wait", "-1"}, "--profile-wait -1"},
        BadUsage{{"compare", "--num-inference-steps", "4", "--profile-output", "p", "--profile-wait", "2",
                  "--profile-warmup", "2"},
                 "--profile-wait 2, --profile-warmup 2 and --profile-active 1: together at most 4 steps"},
        BadUsage{{"profile"}, "file"}, BadUsage{{"profile", "a.json", "--top", "0"}, "--top"},
        BadUsage{{"compare", "--lockstep", "--types", "fav2,sagev1"}, "--lockstep: sdpa and another"},
        BadUsage{{"compare", "--lockstep", "--types", "sdpa"}, "--lockstep: sdpa and another"},
        BadUsage{{"compare", "--lockstep", "--types", "sdpa,fav2", "--attention-rule", "fav3:steps=0"},
                 "--lockstep: a clip with sdpa throughout, not sdpa+policy-"},
        BadUsage{{"render", "--lockstep", "fav2", "--attention-type", "sagev1"},
                 "--lockstep: a clip with sdpa throughout, not sagev1, was needed"},
        BadUsage{{"tune"}, "--budget is missing"}, BadUsage{{"backends"}, "subcommand"},
        BadUsage{{"backends", "describe", "flashier"}, "backends describe flashier: one of sdpa"},
        BadUsage{{"backends", "check", "/nowhere/a.so"}, "a plug-in's file, or one of sdpa"},
        BadUsage{{"backends", "check", "sdpa"}, "another backend was needed"},
        BadUsage{{"backends", "check", "fav2", "--shape", "3"}, "--shape 3"},
        BadUsage{{"render", "--job-timeout", "0"}, "--job-timeout"},
        BadUsage{{"tune", "--budget", "psnr<=40"}, "--budget psnr<=40: psnr>=DB"},
        BadUsage{{"tune", "--budget", "psnr>=40", "--backends", "sdpa"}, "another backend than sdpa"},
        BadUsage{{"tune", "--budget", "psnr>=40", "--backends", "fav2,flashier"}, "--backends flashier"},
        BadUsage{{"tune", "--budget", "psnr>=40", "--backends", "fav2,fav2"}, "--backends fav2: each"},
        BadUsage{{"tune", "--budget", "psnr>=40", "--output", "policy"}, "--output policy:"},
        BadUsage{{"tune", "--budget", "psnr>=40", "--attention-policy", "a.json"}, "--attention-policy"},
        BadUsage{{"tune", "--budget", "psnr>=40", "--max-renders", "0"}, "--max-renders"},
        BadUsage{{"stitch", "--columns", "-1"}, "--columns -1"},
        BadUsage{{"stitch", "--format", "avi"}, "--format avi"},
        BadUsage{{"stitch", "--output", "a.gif", "--format", "mp4"}, "contradict"},
        BadUsage{{"metrics"}, "clip"}, BadUsage{{"models"}, "subcommand"},
        BadUsage{{"metrics", "a.mp4", "--json", "--csv"}, "only one"},
        BadUsage{{"metrics", "a.mp4", "--metrics", "fvd"},
                 "--metrics: there is no metric 'fvd'; there are lpips"},
        BadUsage{{"metrics", "a.mp4", "--metrics", "dynamic_degree"}, "RAFT"},
        BadUsage{{"metrics", "a.mp4", "--metric-weights", "b"}, "--metric-weights: it is for --metrics"},
        BadUsage{{"compare", "--prompt", "a", "--metrics", "clip,clip_l14"}, "clip and clip_l14"},
        BadUsage{{"compare", "--prompt", "a", "--with-engine", "comfy"}, "--with-engine"}));

/// Paths and other words that no JSON can hold as they are.
INSTANTIATE_TEST_SUITE_P(
    OtherThanUtf8, RejectsUsage,
    testing::Values(
        BadUsage{{"compare", "--output-dir", "m/y\xff"},
                 "--output-dir: \"m/y\xef\xbf\xbd\": its bytes aren't UTF-8, text in UTF-8 was needed"},
        BadUsage{{"render", "--output=y\xff.mp4"}, "--output: \"y\xef\xbf\xbd.mp4\": its bytes aren't"},
        BadUsage{{"render", "--benchmark_output_directory", "\xff"}, "--benchmark-output-directory: \""},
        BadUsage{{"render", "--model", "y\xff"}, "--model: \"y\xef\xbf\xbd\": its bytes aren't UTF-8"},
        BadUsage{{"render", "--vae", "y\xff"}, "--vae: \"y\xef\xbf\xbd\": its bytes aren't UTF-8"},
        BadUsage{{"render", "--lora", "a.safetensors", "--lora", "y\xff"}, "--lora: \"y\xef\xbf\xbd\": its"},
        BadUsage{{"render", "--img-file-path", "y\xff"}, "--img-file-path: \"y\xef\xbf\xbd\": its bytes"},
        BadUsage{{"render", "--input-dir", "y\xff"}, "--input-dir: \"y\xef\xbf\xbd\": its bytes aren't"},
        BadUsage{{"render", "--chain-save", "y\xff"}, "--chain-save: \"y\xef\xbf\xbd\": its bytes aren't"},
        BadUsage{{"render", "--negative-prompt", "caf\xe9"}, "--negative-prompt: \"caf"},
        BadUsage{{"render", "--backend-plugin", "y\xff.so"}, "--backend-plugin: a plug-in's file: \""},
        BadUsage{{"suite", "a.json", "--output-dir", "y\xff"}, "--output-dir: \"y\xef\xbf\xbd\": its bytes"},
        BadUsage{{"suite", "y\xff.json", "--output-dir", "y"}, "file: \"y\xef\xbf\xbd.json\": its bytes"},
        BadUsage{{"tune", "--budget", "psnr>=40", "--output", "y\xff"}, "--output: \"y\xef\xbf\xbd\": its"},
        BadUsage{{"stitch", "--input-dir", "y\xff"}, "--input-dir: \"y\xef\xbf\xbd\": its bytes aren't"},
        BadUsage{{"stitch", "a.mp4", "y\xff"}, "clips: \"y\xef\xbf\xbd\": its bytes aren't UTF-8"},
        BadUsage{{"metrics", "a.mp4", "--reference", "y\xff"}, "--reference: \"y\xef\xbf\xbd\": its bytes"},
        BadUsage{{"models", "verify", "y\xff"}, "\"y\xef\xbf\xbd\": its bytes aren't UTF-8"}));

/// Options of the reference tools that aren't built yet.
INSTANTIATE_TEST_SUITE_P(
    Unbuilt, RejectsUsage,
    testing::Values(BadUsage{{"render", "--use_fp8_attn"}, "--use-fp8-attn: not in this version"},
                    BadUsage{{"render", "--warmup_calls", "2"}, "--warmup-calls: not in this version"}));

INSTANTIATE_TEST_SUITE_P(
    Ranks, RejectsUsage,
    testing::Values(BadUsage{{"render", "--ulysses_degree", "8"}, "are 8 ranks, there is 1"},
                    BadUsage{{"render", "--ring_degree=2"}, "are 2 ranks, there is 1"},
                    BadUsage{{"render", "--ulysses-degree", "0"}, "--ulysses-degree 0"},
                    BadUsage{{"render", "--nproc", "0"}, "--nproc"},
                    BadUsage{{"render", "--nproc", "4", "--cfg-parallel", "3"}, "there are 4"},
                    BadUsage{{"compare", "--nproc", "2", "--lanes", "cpu"}, "one of the two was needed"}));

INSTANTIATE_TEST_SUITE_P(
    Bench, RejectsUsage,
    testing::Values(BadUsage{{"bench"}, "subcommand"},
                    BadUsage{{"bench", "attention", "--shape", "1,2,3"}, "--shape 1,2,3:"},
                    BadUsage{{"bench", "attention", "--shape", "1,2,3,64,5,6"}, "--shape 1,2,3,64,5,6:"},
                    BadUsage{{"bench", "attention", "--shape", "1,0,3,64"}, "--shape 1,0,3,64:"},
                    BadUsage{{"bench", "attention", "--shape", "1,-2,3,64"}, "--shape 1,-2,3,64:"},
                    BadUsage{{"bench", "attention", "--shape", "1,2,3.5,64"}, "--shape 1,2,3.5,64:"},
                    BadUsage{{"bench", "attention", "--shape", "1,2,3,99999999999"}, "99999999999"},
                    BadUsage{{"bench", "attention", "--shape", "wide"}, "--shape wide:"},
                    BadUsage{{"bench", "attention", "--kernel", "fav2,flashier"}, "--kernel flashier"},
                    BadUsage{{"bench", "attention", "--kernel", "fav2,fav2"}, "fav2 twice"},
                    BadUsage{{"bench", "attention", "--dtype", "int4"}, "--dtype int4"},
                    BadUsage{{"bench", "attention", "--device", "tpu"}, "--device tpu"},
                    BadUsage{{"bench", "attention", "--device", "cuda", "--cpu-time"},
                             "--cpu-time: --device cpu was needed, not cuda"},
                    BadUsage{{"bench", "attention", "--shape", "wan-3b"}, "--shape wan-3b:"},
                    BadUsage{{"bench", "attention", "--shape", "1,8/3,40,64"}, "--shape 1,8/3,40,64:"},
                    BadUsage{{"bench", "attention", "--distribution", "uniform"}, "--distribution uniform"},
                    BadUsage{{"bench", "attention", "--seed", "-1"}, "--seed -1:"},
                    BadUsage{{"bench", "attention", "--tensor_layout", "BHD"}, "--tensor-layout BHD"},
                    BadUsage{{"bench", "attention", "--kernel", "fav2", "-no_k_smooth"}, "--no-k-smooth:"},
                    BadUsage{{"bench", "attention", "--input_dir", "x", "--shape", "1,1,1,1"}, "--shape"},
                    BadUsage{{"bench", "attention", "--input_dir", "x", "--seed", "1"}, "--seed"},
                    BadUsage{{"bench", "attention", "--input_dir", "x", "--max_inputs", "0"},
                             "--max-inputs 0: a number from 1"},
                    BadUsage{{"bench", "attention", "--input_dir", "x", "--sample_rate", "-2"},
                             "--sample-rate -2: a number from 1"},
                    BadUsage{{"bench", "attention", "--max_inputs", "3"}, "--max-inputs: --input-dir"},
                    BadUsage{{"bench", "attention", "--backend-option", "sparge.cdfthreshd@4-7=0.9"},
                             "sparge.cdfthreshd@4-7=0.9: made-up inputs are of no layer"},
                    BadUsage{{"bench", "attention", "--sla-topk", "0"}, "--sla-topk 0: a number above 0"},
                    BadUsage{{"bench", "attention", "-o", "a.txt"}, "-o a.txt: an ending of .json"},
                    BadUsage{{"bench", "attention", "-o", "a.json", "-o", "b"}, "-o b:"},
                    BadUsage{{"bench", "attention", "--metric", "speed"}, "--metric speed"},
                    BadUsage{{"bench", "attention", "--num-repetitions", "0"}, "--num-repetitions 0"},
                    BadUsage{{"bench", "vae", "--frames", "20"}, "--frames 20: 4·k + 1"},
                    BadUsage{{"bench", "vae", "--frames", "0"}, "--frames 0"},
                    BadUsage{{"bench", "vae", "--size", "832"}, "--size 832: WIDTHxHEIGHT"},
                    BadUsage{{"bench", "vae", "--size", "832x"}, "--size 832x: WIDTHxHEIGHT"},
                    BadUsage{{"bench", "vae", "--size", "64x99999999999"}, "--size 64x99999999999:"},
                    BadUsage{{"bench", "vae", "--size", "64x-8"}, "--size 64x-8: WIDTHxHEIGHT"},
                    BadUsage{{"bench", "vae", "--size", "60*64"}, "--size 60*64: multiples of 8"},
                    BadUsage{{"bench", "vae", "--tile_px", "100"}, "--tile-px 100: a multiple of 8"},
                    BadUsage{{"bench", "vae", "--warmup", "-1"}, "--warmup -1"},
                    BadUsage{{"bench", "vae", "--num-repetitions", "0"}, "--num-repetitions 0"},
                    BadUsage{{"bench", "vae", "--device", "tpu"}, "--device tpu"},
                    BadUsage{{"bench", "vae", "--configurations", "fp8"},
                             "--configurations fp8: one of fp32"},
                    BadUsage{{"captures"}, "subcommand"},
                    BadUsage{{"captures", "show", "a.pt", "--blocks", "0"}, "--blocks"},
                    BadUsage{{"bench", "pipeline", "--num-repetitions", "0"}, "--num-repetitions 0"},
                    BadUsage{{"bench", "pipeline", "--warmup", "-1"}, "--warmup -1"},
                    BadUsage{{"bench", "pipeline", "--max-loss", "much"}, "--max-loss much"},
                    BadUsage{{"bench", "pipeline", "--max-loss", "-5%"}, "--max-loss -5%"},
                    BadUsage{{"bench", "pipeline", "--max-loss", "5%"},
                             "--max-loss 5%: it says how much slower than --baseline is"},
                    BadUsage{{"bench", "pipeline", "--height", "250"}, "--height 250"}));

/// Paths that are relative to such a folder would be others, too.
TEST(AFolderWhoseNameIsNotUtf8, IsRefusedWhereAClipWouldGo) {
    const TestFolder folder;
    const std::filesystem::path before = std::filesystem::current_path(), odd = folder.file("y\xff");
    std::filesystem::create_directory(odd);
    for (const auto& [words, option] :
         {std::pair{std::vector<std::string>{"render", "--device", "cpu", "--output", "a.mp4"}, "--output"},
          std::pair{std::vector<std::string>{"render", "--device", "cpu", "--chain-save", "a.safetensors"},
                    "--chain-save"},
          std::pair{std::vector<std::string>{"compare", "--device", "cpu", "--types", "sdpa"},
                    "--output-dir"}}) {
        std::filesystem::current_path(odd);
        const ProgramRun run = runProgram(words);
        std::filesystem::current_path(before);
        EXPECT_EQ(run.exitCode, 2);
        EXPECT_THAT(run.errors, HasSubstr(option + std::string(": \"")));
        EXPECT_THAT(run.errors, HasSubstr("its bytes aren't UTF-8"));
        EXPECT_TRUE(std::filesystem::is_empty(odd)) << option;
    }
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "no other folder";
}

TEST(AFolderWhoseNameIsNotUtf8, IsNotPutIntoADocument) {
    const TestFolder folder;
    const std::filesystem::path before = std::filesystem::current_path(), odd = folder.file("y\xff");
    std::filesystem::create_directory(odd);
    std::filesystem::copy(REELGRID_SOURCE_DIR "/tests/fixtures/wan/tiny-pipeline", odd / "tiny",
                          std::filesystem::copy_options::recursive);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"backends", "new", "mine"},
                                                  {"models", "show", "tiny"},
                                                  {"models", "verify", "tiny"}}) {
        std::vector<std::string> asDocument = words;
        asDocument.emplace_back("--json");
        std::filesystem::current_path(odd);
        const bool wasThere = std::filesystem::exists("mine");
        const ProgramRun document = runProgram(asDocument);
        const bool isWritten = std::filesystem::exists("mine") != wasThere;
        const ProgramRun text = runProgram(words);
        std::filesystem::current_path(before);
        EXPECT_EQ(document.exitCode, 2) << words[1];
        EXPECT_THAT(document.output, IsEmpty());
        EXPECT_THAT(document.errors, HasSubstr("--json: the "));
        EXPECT_THAT(document.errors, HasSubstr("/y\xef\xbf\xbd/"));
        EXPECT_THAT(document.errors, HasSubstr("its bytes aren't UTF-8"));
        EXPECT_FALSE(isWritten);
        EXPECT_EQ(text.exitCode, 0) << text.errors;
    }
}

TEST(AClipWhoseNameIsNotUtf8, IsNotPutIntoAGridsDocument) {
    const TestFolder folder;
    std::ofstream(folder.file("y\xff.mp4")) << "no clip";
    const ProgramRun run = runProgram({"stitch", "--json", "--input-dir", folder.path().string(), "--pattern",
                                       "*.mp4", "--output", folder.file("grid.mp4")});
    EXPECT_EQ(run.exitCode, 2);
    EXPECT_THAT(run.errors, HasSubstr("--json: a clip of --input-dir: \""));
    EXPECT_FALSE(std::filesystem::exists(folder.file("grid.mp4")));
}

TEST(Help, EveryVerbHasItAndNamesOnlyWhatIsBuilt) {
    for (const char* verb : {"render", "compare", "stitch", "metrics", "models", "worker", "doctor", "bench",
                             "profile", "tune", "captures", "backends", "setup"}) {
        const ProgramRun run = runProgram({verb, "--help"});
        EXPECT_EQ(run.exitCode, 0) << verb;
        EXPECT_THAT(run.output, HasSubstr("Usage")) << verb;
        EXPECT_THAT(run.errors, IsEmpty()) << verb;
        for (const char* unbuilt : {"fp8-attn", "warmup-calls"})
            EXPECT_THAT(run.output, Not(HasSubstr(unbuilt))) << verb;
    }
    for (const char* part : {"attention", "vae", "pipeline"}) {
        EXPECT_THAT(runProgram({"bench", "--help"}).output, HasSubstr(part));
        EXPECT_THAT(runProgram({"bench", part, "--help"}).output, HasSubstr("Usage")) << part;
    }
}

struct Failing {
    std::vector<std::string> arguments;
    const char* says;
};
class Fails : public testing::TestWithParam<Failing> {};

TEST_P(Fails, WithExitCode1AndOneLine) {
    const ProgramRun run = runProgram(GetParam().arguments);
    EXPECT_EQ(run.exitCode, 1);
    EXPECT_THAT(run.output, IsEmpty());
    EXPECT_THAT(run.errors, HasSubstr(GetParam().says));
    EXPECT_EQ(std::count(run.errors.begin(), run.errors.end(), '\n'), 1) << run.errors;
}

INSTANTIATE_TEST_SUITE_P(
    Any, Fails,
    testing::Values(
        Failing{{"render", "--model", "/nowhere", "--prompt", "a"}, "/nowhere"},
        Failing{{"render", "--attention-policy", "/nowhere.json"}, "--attention-policy: /nowhere.json"},
        Failing{{"models", "show", "nobody/nothing"}, "nobody/nothing"},
        Failing{{"stitch", "--input-dir", "/nowhere"}, "/nowhere"},
        Failing{{"bench", "attention", "-o", "/proc/none/a.json"}, "/proc/none"},
        Failing{{"bench", "vae", "--size", "64x64", "-o", "/proc/none/a.json"}, "/proc/none"},
        Failing{{"bench", "vae", "--model", "/nowhere/vae.safetensors"}, "/nowhere/vae.safetensors"},
        Failing{{"bench", "pipeline", "-o", "/proc/none/a.json"}, "/proc/none"},
        Failing{{"bench", "pipeline", "--baseline", "/nowhere.json"}, "--baseline: /nowhere.json"},
        Failing{{"bench", "attention", "--shape", "1,4000,2000000,128"}, "--shape 1,4000,2000000,128 needs"},
        Failing{{"bench", "attention", "--input-dir", "/nowhere"}, "/nowhere"},
        Failing{{"bench", "attention", "--input-dir", REELGRID_SOURCE_DIR "/docs"}, "/docs"},
        Failing{{"profile", "/nowhere/a.json"}, "/nowhere/a.json"},
        Failing{{"profile", "/etc/passwd"}, "/etc/passwd: not JSON: a Chrome trace of torch's profiler"},
        Failing{
            {"profile", REELGRID_SOURCE_DIR "/tests/fixtures/profile/python_torch_cpu.json.gz", "/dev/null"},
            "/dev/null: not a regular file"},
        Failing{{"metrics", "/etc/passwd"}, "/etc/passwd"},
        Failing{{"metrics", "/nowhere/a.mp4"}, "/nowhere/a.mp4"}));

}  // namespace
}  // namespace reelgrid::cli
