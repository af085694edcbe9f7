#include "core/tune/budget.h"

#include <gmock/gmock.h>

namespace reelgrid::tune {
namespace {

TEST(Budget, IsReadAsItIsSpelled) {
    const auto psnr = budgetFrom("psnr>=40");
    ASSERT_TRUE(psnr);
    EXPECT_EQ(psnr->quality, Quality::Psnr);
    EXPECT_EQ(psnr->value, 40);
    EXPECT_EQ(psnr->text(), "psnr>=40");
    EXPECT_EQ(budgetFrom("l1<=0.02")->quality, Quality::L1);
    EXPECT_EQ(budgetFrom("l1 <= 0.02")->value, 0.02);
    EXPECT_EQ(budgetFrom("ssim>=0.98")->quality, Quality::Ssim);
    EXPECT_EQ(budgetFrom("cosine>=0.9995")->quality, Quality::Cosine);
}

TEST(Budget, RefusesWhatSaysNothing) {
    for (const char* text : {"", "psnr", "psnr>40", "psnr<=40", "l1>=0.02", "psnr>=", "psnr>=forty",
                             "psnr>=40dB", "psnr>=101", "psnr>=0", "psnr>=-3", "ssim>=1.1", "cosine>=0",
                             "l1<=-1", "l1<=inf", "psnr>=nan", "vmaf>=90", "psnr>=40,ssim>=1"}) {
        const auto budget = budgetFrom(text);
        ASSERT_FALSE(budget) << text;
        EXPECT_EQ(budget.error().code, ErrorCode::BadUsage);
        EXPECT_THAT(budget.error().message,
                    testing::StartsWith(std::string("--budget ") + text + ": psnr>="));
    }
}

TEST(Budget, IsMetUpToItsValue) {
    EXPECT_TRUE(budgetFrom("psnr>=40")->isMetBy(40));
    EXPECT_FALSE(budgetFrom("psnr>=40")->isMetBy(39.99));
    EXPECT_TRUE(budgetFrom("l1<=0.02")->isMetBy(0.02));
    EXPECT_FALSE(budgetFrom("l1<=0.02")->isMetBy(0.0201));
    EXPECT_FALSE(budgetFrom("l1<=0.02")->isMetBy(std::numeric_limits<double>::quiet_NaN()));
}

TEST(Budget, ErrorsOfIndependentDeviationsAddUp) {
    // Two deviations of equal size: 3.01 dB less, L1 times √2.
    EXPECT_NEAR(valueOf(Quality::Psnr, 2 * errorOf(Quality::Psnr, 40)), 36.9897, 1e-4);
    EXPECT_NEAR(valueOf(Quality::L1, 2 * errorOf(Quality::L1, 0.02)), 0.02 * std::sqrt(2.0), 1e-12);
    for (const auto& [quality, value] : {std::pair{Quality::Psnr, 37.5},
                                         {Quality::Ssim, 0.97},
                                         {Quality::L1, 0.03},
                                         {Quality::Cosine, 0.999}})
        EXPECT_NEAR(valueOf(quality, errorOf(quality, value)), value, 1e-12);
    EXPECT_EQ(errorOf(Quality::Psnr, 100), 0) << "what metrics say of equal frames";
    EXPECT_EQ(valueOf(Quality::Psnr, 0), 100);
}

}  // namespace
}  // namespace reelgrid::tune
